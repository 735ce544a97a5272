// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/pack/order.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace hostpin::pack {

/// The header of one tar entry; everything belongs to root.
struct TarHead {
  enum class Kind : char { file = '0', link = '2', directory = '5' };
  Kind kind = Kind::file;
  std::string path;
  std::string target;       ///< of a symlink
  unsigned permissions = 0; ///< such as 0755
  std::uint64_t size = 0;   ///< bytes that follow
  std::int64_t seconds = 0; ///< since the epoch
  std::uint32_t nanoseconds = 0;
};

constexpr std::size_t tar_block = 512;

/// The bytes before an entry's content: a ustar header, preceded by a pax header if fields do not fit
/// (POSIX.1-2001). Names are any bytes.
std::string tar_head(const TarHead& head);

/// The zeros after a file of that size.
std::string tar_padding(std::uint64_t size);

/// The end of an archive.
std::string tar_end();

struct Written {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  ///< in the files
  std::uint64_t packed = 0; ///< in the archive
};

/// Writes a tar (POSIX.1-2001), compressed by zstd, to a descriptor: the same bytes for the same files. All
/// entries belong to root. An error if a file cannot be read or changes meanwhile.
Result<Written> write_archive(int descriptor, const Order& order);

} // namespace hostpin::pack
