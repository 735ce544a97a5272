// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/decoder.hpp"

#include <algorithm>
#include <cstdint>
#include <lzma.h>
#include <optional>
#include <string>
#include <vector>
#define ZSTD_STATIC_LINKING_ONLY // ZSTD_DCtx_setMaxWindowSize
#include <zstd.h>
#include <zstd_errors.h>

namespace hostpin {

namespace {

constexpr std::size_t piece = std::size_t{64} << 10U;

tl::unexpected<Error> damaged(const std::string& reason) {
  return failure("it cannot be unpacked: " + reason);
}

tl::unexpected<Error> cut_short() {
  return failure("it is cut short: its compressed bytes end too early");
}

/// The packed bytes, a piece at a time.
class Input {
public:
  explicit Input(Blob packed) : packed_(std::move(packed)), buffer_(piece) {}

  /// Replaces what is at hand by what follows it; its size, which is 0 at the end.
  Result<std::size_t> refill() {
    auto count = packed_.read(offset_, buffer_);
    if (count)
      offset_ += *count;
    return count;
  }
  const char* bytes() const { return buffer_.data(); }
  /// What lies behind `left` bytes before the end of what is at hand.
  std::string following(std::size_t left, std::size_t count) const {
    return packed_.part(offset_ - left, count).beginning(count);
  }

private:
  Blob packed_;
  std::vector<char> buffer_;
  std::uint64_t offset_ = 0;
};

enum class Kind { xz_file, xz_stream, lzma };

class LzmaDecoder final : public Decoder {
public:
  LzmaDecoder(Kind kind, const Blob& packed, Memory& memory) : kind_(kind), input_(packed), hold_(memory) {
    const std::uint64_t limit = std::min(memory.left(), ~std::uint64_t{0} - tables) + tables;
    ready_ = (kind == Kind::lzma
                  ? lzma_alone_decoder(&stream_, limit)
                  : lzma_stream_decoder(&stream_, limit, kind == Kind::xz_file ? LZMA_CONCATENATED : 0)) ==
             LZMA_OK;
  }
  LzmaDecoder(const LzmaDecoder&) = delete;
  LzmaDecoder& operator=(const LzmaDecoder&) = delete;
  ~LzmaDecoder() override { lzma_end(&stream_); }

  Result<std::size_t> read(std::span<char> into) override {
    if (!ready_)
      return failure("there is no memory to unpack it");
    stream_.next_out = reinterpret_cast<std::uint8_t*>(into.data());
    stream_.avail_out = into.size();
    while (so_far_ && !ended_ && stream_.avail_out == into.size())
      so_far_ = step();
    const std::size_t count = into.size() - stream_.avail_out;
    if (!so_far_ && count == 0) // what came before it is told first
      return tl::unexpected(so_far_.error());
    return count;
  }

private:
  // What is kept beside the dictionary is less; all is counted in such pieces.
  static constexpr std::uint64_t tables = std::uint64_t{1} << 20U;

  Result<void> step() {
    if (stream_.avail_in == 0 && !at_end_) {
      const auto count = input_.refill();
      if (!count)
        return tl::unexpected(count.error());
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(input_.bytes());
      stream_.avail_in = *count;
      at_end_ = *count == 0;
    }
    const lzma_ret code = lzma_code(&stream_, at_end_ ? LZMA_FINISH : LZMA_RUN);
    const std::uint64_t usage = lzma_memusage(&stream_);
    const std::uint64_t needed = (usage - std::min(usage, tables) + tables - 1) / tables * tables;
    switch (code) {
    case LZMA_OK:
      return hold_.reach(needed);
    case LZMA_STREAM_END:
      ended_ = true;
      return kind_ == Kind::lzma ? nothing_follows() : Result<void>();
    case LZMA_MEMLIMIT_ERROR: {
      auto held = hold_.reach(needed);
      return held ? damaged("it is damaged") : held;
    }
    case LZMA_MEM_ERROR:
      return failure("there is no memory to unpack it");
    case LZMA_BUF_ERROR:
      return cut_short();
    case LZMA_OPTIONS_ERROR:
      return damaged("it was packed in a way that is not supported");
    default:
      return damaged("it is damaged");
    }
  }

  /// The older format has no way to say that a second stream follows, so nobody would unpack one.
  Result<void> nothing_follows() {
    if (stream_.avail_in == 0 && !at_end_) {
      const auto count = input_.refill();
      if (!count)
        return tl::unexpected(count.error());
      stream_.avail_in = *count;
    }
    return stream_.avail_in == 0 ? Result<void>() : damaged("something follows its end");
  }

  Kind kind_;
  Input input_;
  Hold hold_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_ = false, at_end_ = false, ended_ = false;
  Result<void> so_far_ = {};
};

class ZstdDecoder final : public Decoder {
public:
  /// `is_whole`: whether the bytes are frames up to their end.
  ZstdDecoder(bool is_whole, const Blob& packed, Memory& memory)
      : is_whole_(is_whole), input_(packed), hold_(memory), context_(ZSTD_createDCtx()) {}
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }

  Result<std::size_t> read(std::span<char> into) override {
    if (context_ == nullptr)
      return failure("there is no memory to unpack it");
    ZSTD_outBuffer output{into.data(), into.size(), 0};
    while (output.pos == 0) {
      if (between_frames_) {
        const auto begun = begin_frame();
        if (!begun)
          return tl::unexpected(begun.error());
        if (!*begun)
          break;
      }
      if (auto stepped = step(output); !stepped)
        return tl::unexpected(stepped.error());
    }
    return output.pos;
  }

private:
  /// Whether there is one more.
  Result<bool> begin_frame() {
    const std::string header = input_.following(at_hand_.size - at_hand_.pos, zstd_header);
    const std::string_view magic = std::string_view(header).substr(0, 4);
    const bool is_frame = magic == "\x28\xb5\x2f\xfd";
    if (header.empty() || (!is_whole_ && !is_frame)) {
      if (!any_frame_) // libarchive, too, takes a file that has only what is to be skipped for a mistake
        return cut_short();
      return false;
    }
    any_frame_ = any_frame_ || is_frame;
    between_frames_ = false;
    const std::uint64_t window = zstd_window(header);
    if (auto held = hold_.reach(window); !held)
      return tl::unexpected(held.error());
    constexpr std::uint64_t least = std::uint64_t{1} << 10U, most = std::uint64_t{1} << 31U;
    ZSTD_DCtx_setMaxWindowSize(context_, static_cast<std::size_t>(std::clamp(window, least, most)));
    return true;
  }

  Result<void> step(ZSTD_outBuffer& output) {
    if (at_hand_.pos == at_hand_.size) {
      const auto count = input_.refill();
      if (!count)
        return tl::unexpected(count.error());
      at_hand_ = {input_.bytes(), *count, 0};
    }
    const bool at_end = at_hand_.size == 0;
    const std::size_t left = ZSTD_decompressStream(context_, &output, &at_hand_);
    if (ZSTD_isError(left) != 0)
      return damaged(ZSTD_getErrorName(left));
    between_frames_ = left == 0;
    if (at_end && output.pos == 0 && !between_frames_)
      return cut_short();
    return {};
  }

  bool is_whole_;
  Input input_;
  Hold hold_;
  ZSTD_DCtx* context_;
  ZSTD_inBuffer at_hand_{nullptr, 0, 0};
  bool between_frames_ = true, any_frame_ = false;
};

} // namespace

std::unique_ptr<Decoder> file_decoder(std::string_view format, const Blob& packed, Memory& memory) {
  if (format == "xz")
    return std::make_unique<LzmaDecoder>(Kind::xz_file, packed, memory);
  if (format == "lzma")
    return std::make_unique<LzmaDecoder>(Kind::lzma, packed, memory);
  if (format == "zstd")
    return std::make_unique<ZstdDecoder>(true, packed, memory);
  return nullptr;
}

std::unique_ptr<Decoder> member_decoder(std::string_view compression, const Blob& packed, Memory& memory) {
  if (compression == "xz")
    return std::make_unique<LzmaDecoder>(Kind::xz_stream, packed, memory);
  if (compression == "zstd")
    return std::make_unique<ZstdDecoder>(false, packed, memory);
  return nullptr;
}

} // namespace hostpin
