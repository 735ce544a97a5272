// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::pack {

/// One entry of an archive: its path on disk, which without the first slash is that in the archive.
struct Entry {
  enum class Kind {
    kept,    ///< as it is on disk; a regular file has its own time
    dated,   ///< likewise, a regular file with the order's time
    scratch, ///< a directory that everybody may write to, existing or not
    link,    ///< a symlink to `target`, existing or not
  };
  Kind kind = Kind::kept;
  std::string path;
  std::string target;

  bool operator==(const Entry&) const = default;
};

/// What to write, in order.
struct Order {
  std::int64_t time = 0; ///< nanoseconds since the epoch, of directories, symlinks and `dated` files
  std::vector<Entry> entries;

  bool operator==(const Order&) const = default;
};

/// An order as bytes, for the program that writes archives, and back; other input is rejected.
std::string to_bytes(const Order& order);
Result<Order> read_order(std::string_view bytes);

} // namespace hostpin::pack
