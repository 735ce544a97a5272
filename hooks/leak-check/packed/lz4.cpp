// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LZ4's block format (lz4_Block_format.md), read piece by piece: the library of that name wants the whole
// output at once, and how large an entry of a fatbin is, its maker decides.
#include "hooks/leak-check/packed/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace hostpin {

namespace {

constexpr std::size_t reach = std::size_t{64} << 10U; // how far back a match may point
constexpr std::size_t window_size = 4 * reach;

/// The packed bytes, a piece at a time.
class Input {
public:
  Input(const Blob& packed, std::vector<char>& buffer) : packed_(packed), buffer_(buffer) {}

  std::optional<unsigned> byte() {
    if (at_ == end_ && !refill())
      return std::nullopt;
    return static_cast<unsigned char>(buffer_[at_++]);
  }

  /// What is at hand, `count` at most; empty at the end.
  std::string_view some(std::size_t count) {
    if (at_ == end_ && !refill())
      return {};
    const std::string_view bytes(buffer_.data() + at_, std::min(count, end_ - at_));
    at_ += bytes.size();
    return bytes;
  }

  /// Lengths of 15 and more go on in further bytes, the last of which is not 255.
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

/// The last bytes that were unpacked, handed on when there are enough of them.
class Output {
public:
  Output(std::vector<char>& window, Target& target) : window_(window), target_(target) {
    window_.resize(window_size);
  }

  bool append(std::string_view bytes) {
    while (!bytes.empty()) {
      if (filled_ == window_.size() && !slide())
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
      if (filled_ == window_.size() && !slide())
        return false;
      const std::size_t count = std::min(length, window_.size() - filled_);
      char* const to = window_.data() + filled_;
      if (distance >= count) {
        std::memcpy(to, to - distance, count);
      } else {
        for (std::size_t i = 0; i < count; ++i) // it repeats what it has just written
          to[i] = to[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(distance)];
      }
      filled_ += count;
      length -= count;
    }
    return true;
  }

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
  bool slide() {
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

/// Whether that many literals were there; `wanted` says whether the target wants more.
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

Result<void> Inflater::lz4(const Blob& packed, Target& target) {
  Input input(packed, input_);
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
    wanted = output.repeat(distance, *length + 4);
  }
  return {};
}

} // namespace hostpin
