// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/pack/order.hpp"

#include <cstdint>

namespace hostpin::pack {

struct Written {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  ///< in the files
  std::uint64_t packed = 0; ///< in the archive
};

/// Writes a tar (POSIX.1-2001), compressed by zstd, to a descriptor: the same bytes for the same files. All
/// entries belong to root. An error if a file cannot be read or changes meanwhile.
Result<Written> write_archive(int descriptor, const Order& order);

} // namespace hostpin::pack
