// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

namespace hostpin::leak {

/// The kind of a file by its first bytes.
enum class Content {
  elf,
  static_archive, ///< of `ar`, thin or not; a Debian package too
  packed,         ///< compressed, an archive of files, or both: `packed` can open it
  closed,         ///< a compression or archive format that cannot be opened here
  script,         ///< begins with `#!`
  other,
};

/// How many of a file's first bytes are read.
inline constexpr std::size_t sniffed_bytes = 512;

struct Sniffed {
  Content content = Content::other;
  std::string_view format; ///< of packed and closed ones: `gzip`, `zip`; static text
};

/// `name`: of the file, if known; it only counts if the bytes are not conclusive.
Sniffed sniff(std::string_view beginning, std::string_view name = {});

/// Whether bytes can be the older format of xz, which has no magic: many other files match too.
bool can_be_lzma(std::string_view beginning);

} // namespace hostpin::leak
