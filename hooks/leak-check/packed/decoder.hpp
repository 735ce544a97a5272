// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/packed/memory.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace hostpin {

/// Unpacks what one format compressed, within the memory that is left when a stream, block or frame asks for
/// it: libarchive's own readers of these formats take what they are told to.
class Decoder {
public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  /// The next bytes, at least one; 0 at the end. An error says that it is damaged, cut short, or wants more
  /// memory; nothing is to be read behind one.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

/// For a whole file, all of its streams or frames; `format`: as `sniff` calls it, `xz`, `lzma` or `zstd`,
/// else nullptr. Keeps a reference to `memory`.
std::unique_ptr<Decoder> file_decoder(std::string_view format, const Blob& packed, Memory& memory);

/// For a member of a zip, `compression` as libarchive calls it, `xz` or `zstd`, else nullptr: what follows
/// its end is not looked at.
std::unique_ptr<Decoder> member_decoder(std::string_view compression, const Blob& packed, Memory& memory);

} // namespace hostpin
