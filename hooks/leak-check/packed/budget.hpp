// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/packed/memory.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "hooks/leak-check/scan/told.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace hostpin {

/// What may still be unpacked from one file and told of it, whatever is nested in it: bombs of all kinds end
/// here. As several files are scanned at once, each may have a little; one that needs more `wants_all`, is
/// given up then, and scanned again alone.
class Budget {
public:
  /// Of a file that is alone; `packed`: its bytes.
  Budget(const ScanLimits& limits, std::uint64_t packed)
      : limits_(limits), ratio_limit_(ratio_limit(limits, packed)), memory_(limits.window) {}
  /// Keeps a reference.
  Budget(const ScanLimits& limits, std::uint64_t packed, SharedMemory& shared, bool alone)
      : limits_(limits), ratio_limit_(ratio_limit(limits, packed)), alone_(alone), memory_(shared, alone) {}

  /// Whether that many more bytes may be unpacked.
  bool spend(std::uint64_t bytes) {
    unpacked_ += bytes;
    return !is_spent();
  }
  bool spend_member() { return ++members_ <= limits_.members; }
  bool allows_depth(std::size_t depth) const { return depth <= limits_.depth; }

  /// Of the decoders that are at work.
  Memory& memory() { return memory_; }

  /// Counts what is told of the file by now.
  void account(const ScannedFile& file) {
    told_ = told_bytes_.of(file);
    memory_.tell(told_ - std::min(told_, limits_.told_at_once));
  }
  /// Of one stream: see HitCollector.
  std::size_t most_kinds() const { return alone_ ? limits_.kinds : limits_.kinds_at_once; }
  void want_all() { wants_all_ = true; }
  bool is_alone() const { return alone_; }
  bool wants_all() const {
    return !alone_ && (wants_all_ || memory_.wants_all() || told_ > limits_.told_at_once);
  }

  bool is_spent() const {
    return unpacked_ > std::min(limits_.unpacked, ratio_limit_) || members_ > limits_.members ||
           told_ > limits_.told || wants_all();
  }
  /// Why it is spent, for a person. `begun`: how many of its members were looked at, in part at least.
  std::string reason(std::uint64_t begun = 0) const {
    const std::string rest =
        begun == 0   ? "; the rest was not looked at"
        : begun == 1 ? "; what follows its first member was not looked at"
                     : "; what follows its first " + std::to_string(begun) + " members was not looked at";
    if (members_ > limits_.members)
      return "it has more than " + std::to_string(limits_.members) + " members; the rest was not looked at";
    if (told_ > limits_.told)
      return "there is more to tell of it than there is memory for" + rest;
    if (unpacked_ > limits_.unpacked)
      return "it unpacks to more than " + std::to_string(limits_.unpacked) +
             " bytes; the rest was not looked at";
    return "it unpacks to more than " + std::to_string(limits_.ratio) +
           " times its size, as a bomb does; the rest was not looked at";
  }

private:
  static std::uint64_t ratio_limit(const ScanLimits& limits, std::uint64_t packed) {
    const bool beyond = packed > limits.unpacked / limits.ratio;
    return std::max(limits.ratio_from, beyond ? limits.unpacked : packed * limits.ratio);
  }

  ScanLimits limits_;
  std::uint64_t ratio_limit_;
  bool alone_ = true, wants_all_ = false;
  Memory memory_;
  std::uint64_t unpacked_ = 0;
  std::uint64_t members_ = 0;
  ToldBytes told_bytes_;
  std::uint64_t told_ = 0;
};

} // namespace hostpin
