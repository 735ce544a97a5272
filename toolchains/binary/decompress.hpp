// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/blob.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_DCtx_s;

namespace hostpin::binary {

/// Where unpacked bytes go, without a copy on their way.
class Target {
public:
  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  virtual ~Target() = default;

  /// Where the next bytes are to be written; never empty.
  virtual std::span<char> space() = 0;
  /// The first `count` bytes of `space()` are the next ones; false when no more are wanted.
  virtual bool advance(std::size_t count) = 0;
};

/// Unpacks single streams, as sections of ELF files and entries of fatbins are. Keeps its tables from one to
/// the next; for one thread.
class Inflater {
public:
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater();

  /// Each until the end of the stream, or until the target wants no more; an error when the stream is damaged
  /// or cut short, or when one of zstd wants a window of more than 128 MB. Bytes behind the stream's end are
  /// not looked at.
  Result<void> zlib(const Blob& packed, Target& target);
  Result<void> zstd(const Blob& packed, Target& target);
  /// One LZ4 block without a frame, by a decoder of our own: the library of that name wants the whole output
  /// at once, and how large an entry of a fatbin is, its maker decides. The target gets bytes as soon as
  /// there are `at_once`, or all that are kept for matches.
  Result<void> lz4(const Blob& packed, Target& target, std::size_t at_once = ~std::size_t{0});

private:
  /// Memory for pieces of the input, which is small where that is.
  std::vector<char>& input_for(const Blob& packed);

  std::vector<char> input_;
  std::vector<char> window_; ///< LZ4's; grows with the output
  ZSTD_DCtx_s* zstd_ = nullptr;
};

} // namespace hostpin::binary

namespace hostpin {

using binary::Inflater;
using binary::Target;

} // namespace hostpin
