// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scan.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace hostpin {

/// How much may still be decompressed from one file and reported for it, however it is nested: limits
/// decompression bombs of all kinds.
class Budget {
public:
  /// `compressed`: bytes of the file. `large_windows`: shared by all files that are scanned at one time, so
  /// that only one of them at a time has large windows; nullptr: it is the only one.
  Budget(const ScanLimits& limits, std::uint64_t compressed, std::mutex* large_windows = nullptr)
      : limits_(limits), ratio_limit_(ratio_limit(limits, compressed)) {
    if (large_windows != nullptr)
      large_windows_ = std::unique_lock(*large_windows, std::defer_lock);
  }

  /// Whether that many more bytes may be decompressed.
  bool spend(std::uint64_t bytes) {
    unpacked_ += bytes;
    return !is_spent();
  }
  bool spend_member() { return ++members_ <= limits_.members; }
  bool allows_depth(std::size_t depth) const { return depth <= limits_.depth; }

  /// Whether a decoder may buffer that many bytes of its output, until `release_window`, in addition to the
  /// decoders around it. May wait for another file.
  bool reserve_window(std::uint64_t bytes);
  void release_window(std::uint64_t bytes) { windows_ -= bytes; }

  /// Counts the findings of the file so far.
  void count_entries(const ScannedFile& file);

  bool is_spent() const;
  /// Which limit was reached, as text. `begun`: how many of its members were read, at least in part.
  std::string reason(std::uint64_t begun = 0) const;

private:
  static std::uint64_t ratio_limit(const ScanLimits& limits, std::uint64_t compressed);

  ScanLimits limits_;
  std::uint64_t ratio_limit_;
  std::unique_lock<std::mutex> large_windows_;
  std::uint64_t windows_ = 0;
  std::uint64_t unpacked_ = 0;
  std::uint64_t members_ = 0;
  std::size_t entries_ = 0;
  std::size_t parts_ = 0, part_entries_ = 0; ///< counted so far
};

} // namespace hostpin
