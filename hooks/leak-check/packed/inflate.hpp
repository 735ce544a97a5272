// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/packed/target.hpp"

#include <cstdint>
#include <memory>
#include <vector>

struct ZSTD_DCtx_s;

namespace hostpin {

/// Unpacks single streams, as sections of ELF files and entries of fatbins are. Keeps its tables from one to
/// the next; for one thread.
class Inflater {
public:
  /// `window`: bytes that unpacking one stream may keep at hand.
  explicit Inflater(std::uint64_t window = std::uint64_t{128} << 20U);
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater();

  /// Each until the end of the stream, or until the target wants no more; an error when the stream is damaged
  /// or cut short. Bytes behind the stream's end are not looked at.
  Result<void> zlib(const Blob& packed, Target& target);
  Result<void> zstd(const Blob& packed, Target& target);
  /// One LZ4 block without a frame.
  Result<void> lz4(const Blob& packed, Target& target);

private:
  std::vector<char> input_;
  std::vector<char> window_; ///< LZ4's
  std::uint64_t window_limit_;
  ZSTD_DCtx_s* zstd_ = nullptr;
};

} // namespace hostpin
