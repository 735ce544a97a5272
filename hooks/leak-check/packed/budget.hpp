// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/packed/memory.hpp"
#include "hooks/leak-check/scan/scan.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace hostpin {

/// What may still be unpacked from one file, whatever is nested in it: bombs of all kinds end here.
class Budget {
public:
  /// `packed`: bytes of the file.
  Budget(const ScanLimits& limits, std::uint64_t packed)
      : limits_(limits), ratio_limit_(std::max(limits.ratio_from, packed > limits.unpacked / limits.ratio
                                                                      ? limits.unpacked
                                                                      : packed * limits.ratio)),
        memory_(limits.window) {}

  /// Whether that many more bytes may be unpacked.
  bool spend(std::uint64_t bytes) {
    unpacked_ += bytes;
    return unpacked_ <= std::min(limits_.unpacked, ratio_limit_);
  }
  bool spend_member() { return ++members_ <= limits_.members; }
  bool allows_depth(std::size_t depth) const { return depth <= limits_.depth; }

  /// Of the decoders that are at work.
  Memory& memory() { return memory_; }

  bool is_spent() const {
    return unpacked_ > std::min(limits_.unpacked, ratio_limit_) || members_ > limits_.members;
  }
  /// Why it is spent, for a person.
  std::string reason() const {
    if (members_ > limits_.members)
      return "it has more than " + std::to_string(limits_.members) + " members; the rest was not looked at";
    if (unpacked_ > limits_.unpacked)
      return "it unpacks to more than " + std::to_string(limits_.unpacked) +
             " bytes; the rest was not looked at";
    return "it unpacks to more than " + std::to_string(limits_.ratio) +
           " times its size, as a bomb does; the rest was not looked at";
  }

private:
  ScanLimits limits_;
  std::uint64_t ratio_limit_;
  Memory memory_;
  std::uint64_t unpacked_ = 0;
  std::uint64_t members_ = 0;
};

} // namespace hostpin
