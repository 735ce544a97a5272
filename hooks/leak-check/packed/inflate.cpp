// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/inflate.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace hostpin {

namespace {

constexpr std::size_t piece = std::size_t{128} << 10U;

tl::unexpected<Error> damaged(const char* reason) {
  return failure("it is damaged: " + std::string(reason == nullptr ? "not a compressed stream" : reason));
}

tl::unexpected<Error> cut_short() {
  return failure("it is cut short: its compressed bytes end too early");
}

/// Ends a stream of zlib's however it is left.
struct ZlibStream {
  z_stream state{};
  bool ready = inflateInit(&state) == Z_OK;

  ZlibStream() = default;
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;
  ~ZlibStream() {
    if (ready)
      inflateEnd(&state);
  }
};

/// A context keeps its buffers: after a stream that took large ones they are released.
struct ReleaseIfLarge {
  ZSTD_DCtx_s*& context;

  explicit ReleaseIfLarge(ZSTD_DCtx_s*& context_) : context(context_) {}
  ReleaseIfLarge(const ReleaseIfLarge&) = delete;
  ReleaseIfLarge& operator=(const ReleaseIfLarge&) = delete;
  ~ReleaseIfLarge() {
    constexpr std::size_t most_kept = std::size_t{2} << 20U;
    if (ZSTD_sizeof_DCtx(context) > most_kept)
      ZSTD_freeDCtx(std::exchange(context, nullptr));
  }
};

} // namespace

Inflater::Inflater() : input_(piece) {}

Inflater::~Inflater() {
  ZSTD_freeDCtx(zstd_);
}

Result<void> Inflater::zlib(const Blob& packed, Target& target) {
  ZlibStream stream;
  if (!stream.ready)
    return failure("there is no memory to unpack it");
  std::uint64_t offset = 0;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    if (stream.state.avail_in == 0) {
      const auto count = packed.read(offset, input_);
      if (!count)
        return tl::unexpected(count.error());
      if (*count == 0)
        return cut_short();
      offset += *count;
      stream.state.next_in = reinterpret_cast<Bytef*>(input_.data());
      stream.state.avail_in = static_cast<uInt>(*count);
    }
    const std::span<char> space = target.space();
    stream.state.next_out = reinterpret_cast<Bytef*>(space.data());
    stream.state.avail_out = static_cast<uInt>(space.size());
    code = inflate(&stream.state, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      return damaged(stream.state.msg);
    if (!target.advance(space.size() - stream.state.avail_out))
      return {};
  }
  return {};
}

Result<void> Inflater::zstd(const Blob& packed, Target& target) {
  if (zstd_ == nullptr)
    zstd_ = ZSTD_createDCtx();
  if (zstd_ == nullptr)
    return failure("there is no memory to unpack it");
  ZSTD_DCtx_reset(zstd_, ZSTD_reset_session_only);
  const ReleaseIfLarge release(zstd_);
  std::uint64_t offset = 0;
  ZSTD_inBuffer input{input_.data(), 0, 0};
  for (std::size_t left = 1; left != 0;) {
    if (input.pos == input.size) {
      const auto count = packed.read(offset, input_);
      if (!count)
        return tl::unexpected(count.error());
      offset += *count;
      input.size = *count;
      input.pos = 0;
    }
    const std::span<char> space = target.space();
    ZSTD_outBuffer output{space.data(), space.size(), 0};
    const bool at_end = input.size == 0;
    left = ZSTD_decompressStream(zstd_, &output, &input);
    if (ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge)
      return failure("it declares a window of more than 128 MB");
    if (ZSTD_isError(left) != 0)
      return damaged(ZSTD_getErrorName(left));
    if (at_end && output.pos == 0 && left != 0)
      return cut_short();
    if (!target.advance(output.pos))
      return {};
  }
  return {};
}

} // namespace hostpin
