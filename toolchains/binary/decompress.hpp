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

/// Receives decompressed bytes without an intermediate copy.
class Target {
public:
  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  virtual ~Target() = default;

  /// Where the next bytes have to be written; never empty.
  virtual std::span<char> space() = 0;
  /// Accepts the first `count` bytes of `space()`; false if no more are wanted.
  virtual bool advance(std::size_t count) = 0;
};

/// Decompresses single streams, such as sections of ELF files and entries of fatbins. Reuses its tables for
/// the next stream; for one thread.
class Inflater {
public:
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater();

  /// Each decompresses until the end of the stream, or until the target wants no more; an error if the stream
  /// is damaged or truncated, or if a zstd stream needs a window of more than 128 MB. Bytes after the
  /// stream's end are not read.
  Result<void> zlib(const Blob& packed, Target& target);
  /// Deflate without zlib's header, as in zips.
  Result<void> deflate(const Blob& packed, Target& target);
  Result<void> zstd(const Blob& packed, Target& target);
  /// One LZ4 block without a frame, by hostpin's own decoder: liblz4 needs the whole output at once, and an
  /// untrusted fatbin determines its size. The target gets bytes as soon as there are `at_once`, or all that
  /// matches can refer to.
  Result<void> lz4(const Blob& packed, Target& target, std::size_t at_once = ~std::size_t{0});

private:
  Result<void> inflate_all(const Blob& packed, Target& target, int window_bits);
  /// A buffer for pieces of the input, which is small if the input is.
  std::vector<char>& input_for(const Blob& packed);

  std::vector<char> input_;
  std::vector<char> window_; ///< LZ4's; grows with the output
  ZSTD_DCtx_s* zstd_ = nullptr;
};

} // namespace hostpin::binary
