// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/decompress.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace hostpin::binary {

namespace {

constexpr std::size_t piece = std::size_t{128} << 10U;

tl::unexpected<Error> damaged(const char* reason) {
  return failure("it is damaged: " + std::string(reason == nullptr ? "not a compressed stream" : reason));
}

tl::unexpected<Error> cut_short() {
  return failure("it is cut short: its compressed bytes end too early");
}

/// Ends a zlib stream on every way out.
struct ZlibStream {
  z_stream state{};
  bool ready;

  explicit ZlibStream(int window_bits) : ready(inflateInit2(&state, window_bits) == Z_OK) {}
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;
  ~ZlibStream() {
    if (ready)
      inflateEnd(&state);
  }
};

/// A context caches its buffers: large ones are released after the stream.
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

// LZ4: lz4_Block_format.md.
constexpr std::size_t reach = std::size_t{64} << 10U; // largest distance of a match
constexpr std::size_t least_window = 4096, window_size = 4 * reach;

/// The compressed bytes, a piece at a time.
class Input {
public:
  Input(const Blob& packed, std::vector<char>& buffer) : packed_(packed), buffer_(buffer) {}

  std::optional<unsigned> byte() {
    if (at_ == end_ && !refill())
      return std::nullopt;
    return static_cast<unsigned char>(buffer_[at_++]);
  }

  /// The available bytes, `count` at most; empty at the end.
  std::string_view some(std::size_t count) {
    if (at_ == end_ && !refill())
      return {};
    const std::string_view bytes(buffer_.data() + at_, std::min(count, end_ - at_));
    at_ += bytes.size();
    return bytes;
  }

  /// Lengths of 15 and more continue in further bytes; a byte other than 255 is the last one.
  std::optional<std::size_t> length(unsigned nibble) {
    std::size_t length = nibble;
    for (unsigned next = nibble == 15 ? 255U : 0U; next == 255;) {
      const auto more = byte();
      if (!more || length > (std::size_t{1} << 40U))
        return std::nullopt;
      next = *more;
      length += next;
    }
    return length;
  }

  const Error* wrong() const { return wrong_ ? &*wrong_ : nullptr; }

private:
  bool refill() {
    const auto count = packed_.read(offset_, buffer_);
    if (!count)
      wrong_ = count.error();
    at_ = 0;
    end_ = count.value_or(0);
    offset_ += end_;
    return end_ > 0;
  }

  const Blob& packed_;
  std::vector<char>& buffer_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t offset_ = 0;
  std::optional<Error> wrong_;
};

/// The last decompressed bytes, passed on once there are enough of them.
class Output {
public:
  Output(std::vector<char>& window, Target& target) : window_(window), target_(target) {}

  bool append(std::string_view bytes) {
    while (!bytes.empty()) {
      if (filled_ == window_.size() && !make_room())
        return false;
      const std::size_t count = std::min(bytes.size(), window_.size() - filled_);
      std::memcpy(window_.data() + filled_, bytes.data(), count);
      filled_ += count;
      bytes.remove_prefix(count);
    }
    return true;
  }

  bool holds(std::size_t distance) const { return distance > 0 && distance <= filled_; }

  bool repeat(std::size_t distance, std::size_t length) {
    while (length > 0) {
      if (filled_ == window_.size() && !make_room())
        return false;
      const std::size_t count = std::min(length, window_.size() - filled_);
      char* const to = window_.data() + filled_;
      if (distance >= count) {
        std::memcpy(to, to - distance, count);
      } else {
        for (std::size_t i = 0; i < count; ++i) // the match overlaps the bytes it is just writing
          to[i] = to[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(distance)];
      }
      filled_ += count;
      length -= count;
    }
    return true;
  }

  std::size_t waiting() const { return filled_ - handed_; }

  bool hand_on() {
    while (handed_ < filled_) {
      const std::span<char> space = target_.space();
      const std::size_t count = std::min(space.size(), filled_ - handed_);
      std::memcpy(space.data(), window_.data() + handed_, count);
      handed_ += count;
      if (!target_.advance(count))
        return false;
    }
    return true;
  }

private:
  bool make_room() {
    if (window_.size() < window_size) {
      window_.resize(std::min(window_size, std::max(least_window, 2 * window_.size())));
      return true;
    }
    if (!hand_on())
      return false;
    std::memmove(window_.data(), window_.data() + filled_ - reach, reach);
    filled_ = handed_ = reach;
    return true;
  }

  std::vector<char>& window_;
  Target& target_;
  std::size_t filled_ = 0, handed_ = 0;
};

/// Whether that many literals existed; `wanted` returns whether the target wants more.
bool copy_literals(Input& input, Output& output, std::size_t count, bool& wanted) {
  while (count > 0 && wanted) {
    const std::string_view bytes = input.some(count);
    if (bytes.empty())
      return false;
    wanted = output.append(bytes);
    count -= bytes.size();
  }
  return true;
}

} // namespace

std::vector<char>& Inflater::input_for(const Blob& packed) {
  if (input_.size() < piece)
    input_.resize(std::max<std::size_t>(
        input_.size(), static_cast<std::size_t>(std::min<std::uint64_t>(piece, packed.size() + 1))));
  return input_;
}

Inflater::~Inflater() {
  ZSTD_freeDCtx(zstd_);
}

Result<void> Inflater::zlib(const Blob& packed, Target& target) {
  return inflate_all(packed, target, MAX_WBITS);
}

Result<void> Inflater::deflate(const Blob& packed, Target& target) {
  return inflate_all(packed, target, -MAX_WBITS);
}

Result<void> Inflater::inflate_all(const Blob& packed, Target& target, int window_bits) {
  input_for(packed);
  ZlibStream stream(window_bits);
  if (!stream.ready)
    return failure("there is not enough memory to decompress it");
  std::uint64_t offset = 0;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    if (stream.state.avail_in == 0) {
      TRY_ASSIGN(const auto count, packed.read(offset, input_));
      if (count == 0)
        return cut_short();
      offset += count;
      stream.state.next_in = reinterpret_cast<Bytef*>(input_.data());
      stream.state.avail_in = static_cast<uInt>(count);
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
    return failure("there is not enough memory to decompress it");
  ZSTD_DCtx_reset(zstd_, ZSTD_reset_session_only);
  const ReleaseIfLarge release(zstd_);
  std::uint64_t offset = 0;
  ZSTD_inBuffer input{input_for(packed).data(), 0, 0};
  for (std::size_t left = 1; left != 0;) {
    if (input.pos == input.size) {
      TRY_ASSIGN(const auto count, packed.read(offset, input_));
      offset += count;
      input.size = count;
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

Result<void> Inflater::lz4(const Blob& packed, Target& target, std::size_t at_once) {
  Input input(packed, input_for(packed));
  Output output(window_, target);
  const auto cut = [&]() -> Result<void> {
    return input.wrong() != nullptr ? failure(input.wrong()->message)
                                    : failure("it is cut short: its compressed bytes end too early");
  };
  for (bool wanted = true; wanted;) {
    const auto token = input.byte();
    if (!token)
      return cut();
    const auto literals = input.length(*token >> 4U);
    if (!literals || !copy_literals(input, output, *literals, wanted))
      return cut();
    if (!wanted)
      break;
    const auto low = input.byte();
    if (!low) { // the last sequence has literals only
      if (input.wrong() != nullptr)
        return cut();
      output.hand_on();
      return {};
    }
    const auto high = input.byte();
    const auto length = high ? input.length(*token & 15U) : std::nullopt;
    if (!length)
      return cut();
    const std::size_t distance = *low | *high << 8U;
    if (!output.holds(distance))
      return failure("it is damaged: it refers to bytes before its beginning");
    wanted = output.repeat(distance, *length + 4) && (output.waiting() < at_once || output.hand_on());
  }
  return {};
}

} // namespace hostpin::binary
