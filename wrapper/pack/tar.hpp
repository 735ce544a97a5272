// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

} // namespace hostpin::pack
