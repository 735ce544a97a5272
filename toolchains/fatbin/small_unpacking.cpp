// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/small_unpacking.hpp"

#include <algorithm>
#include <zstd.h>

namespace hostpin {

namespace {

/// The bytes of an LZ4 block (lz4_Block_format.md).
class Block {
public:
  explicit Block(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }

  std::optional<std::string_view> take(std::size_t count) {
    if (count > bytes_.size())
      return std::nullopt;
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::optional<std::size_t> number(std::size_t bytes) {
    const auto taken = take(bytes);
    if (!taken)
      return std::nullopt;
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value |= std::size_t{static_cast<unsigned char>((*taken)[i])} << 8U * i;
    return value;
  }

  /// Lengths of 15 and more go on in further bytes, the last of which is not 255.
  std::optional<std::size_t> length(std::size_t nibble) {
    std::size_t length = nibble;
    for (std::size_t next = nibble == 15 ? 255 : 0; next == 255; length += next) {
      const auto more = number(1);
      if (!more)
        return std::nullopt;
      next = *more;
    }
    return length;
  }

private:
  std::string_view bytes_;
};

/// What the last byte stands for is copied byte by byte: a match may overlap with what it makes.
bool repeat(std::string& text, std::size_t distance, std::size_t length, std::size_t limit) {
  if (distance == 0 || distance > text.size() || length > limit || text.size() > limit - length)
    return false;
  for (std::size_t i = 0; i < length; ++i)
    text += text[text.size() - distance];
  return true;
}

std::optional<std::string> unpacked_zstd(std::string_view packed, std::size_t limit) {
  const std::size_t frame = ZSTD_findFrameCompressedSize(packed.data(), packed.size());
  if (ZSTD_isError(frame) != 0U)
    return std::nullopt;
  std::string text(limit, '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), packed.data(), frame);
  if (ZSTD_isError(size) != 0U)
    return std::nullopt;
  text.resize(size);
  return text;
}

} // namespace

std::optional<std::string> unpacked_lz4(std::string_view packed, std::size_t limit, std::size_t enough) {
  Block block(packed);
  std::string text;
  text.reserve(std::min(limit, enough));
  while (text.size() < enough) {
    const auto token = block.number(1);
    const auto literals = token ? block.length(*token >> 4U) : std::nullopt;
    const auto bytes = literals ? block.take(*literals) : std::nullopt;
    if (!bytes || bytes->size() > limit - text.size())
      return std::nullopt;
    text += *bytes;
    if (block.at_end()) // the last sequence has literals only
      break;
    const auto distance = block.number(2);
    const auto length = distance ? block.length(*token & 15U) : std::nullopt;
    if (!length || !repeat(text, *distance, *length + 4, limit))
      return std::nullopt;
  }
  return text;
}

std::optional<std::string> unpacked_small(binary::DevicePacking packing, std::string_view packed,
                                          std::size_t limit) {
  switch (packing) {
  case binary::DevicePacking::lz4:
    return unpacked_lz4(packed, limit, std::string_view::npos);
  case binary::DevicePacking::zstd:
    return unpacked_zstd(packed, limit);
  case binary::DevicePacking::none:
    break;
  }
  return packed.size() <= limit ? std::optional(std::string(packed)) : std::nullopt;
}

} // namespace hostpin
