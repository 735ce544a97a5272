// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hostpin::lto {

/// Bounds what a check stores of the members and symbols of its inputs. Code that stores them counts them.
class MemoryBound {
public:
  explicit MemoryBound(std::size_t bytes = std::size_t{512} << 20U)
      : left_(static_cast<std::int64_t>(bytes)) {}

  /// Counts some bytes if they fit; from any thread.
  bool take(std::size_t bytes) {
    const auto size = static_cast<std::int64_t>(bytes);
    if (left_.fetch_sub(size, std::memory_order_relaxed) >= size)
      return true;
    give_back(bytes);
    return false;
  }
  void give_back(std::size_t bytes) {
    left_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }

  /// The file whose symbols are counted from now on.
  void reading(const std::string& path) { path_ = path; }
  /// Counts a symbol of that file if it fits.
  bool take_symbol(std::string_view name) {
    constexpr std::size_t entry = 96; // of a hash table
    if (take(entry + name.size()))
      return true;
    if (too_large_.empty())
      too_large_ = path_;
    return false;
  }
  /// The first file whose symbols did not fit, so that those that are stored are incomplete; or empty.
  const std::string& too_large() const { return too_large_; }

private:
  std::atomic<std::int64_t> left_;
  std::string path_, too_large_;
};

} // namespace hostpin::lto
