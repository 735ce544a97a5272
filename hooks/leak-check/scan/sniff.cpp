// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/sniff.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace hostpin::leak {

namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::size_t offset;
  Content content;
  std::string_view format;
};

constexpr std::array magics = {
    Magic{"\x7f"
          "ELF"sv,
          0, Content::elf, ""},
    Magic{"!<arch>\n"sv, 0, Content::static_archive, ""},
    Magic{"!<thin>\n"sv, 0, Content::static_archive, ""},
    Magic{"#!"sv, 0, Content::script, ""},
    Magic{"\x1f\x8b\x08"sv, 0, Content::packed, "gzip"},
    Magic{"\xfd"
          "7zXZ\0"sv,
          0, Content::packed, "xz"},
    Magic{"\x28\xb5\x2f\xfd"sv, 0, Content::packed, "zstd"},
    Magic{"BZh"sv, 0, Content::packed, "bzip2"},
    Magic{"PK\3\4"sv, 0, Content::packed, "zip"},
    Magic{"PK\5\6"sv, 0, Content::packed, "zip"},
    Magic{"ustar"sv, 257, Content::packed, "tar"},
    Magic{"\x04\x22\x4d\x18"sv, 0, Content::closed, "lz4"},
    Magic{"7z\xbc\xaf\x27\x1c"sv, 0, Content::closed, "7-Zip"},
    Magic{"Rar!\x1a\x07"sv, 0, Content::closed, "RAR"},
    Magic{"\xed\xab\xee\xdb"sv, 0, Content::closed, "RPM"},
    Magic{"LZIP"sv, 0, Content::closed, "lzip"},
    Magic{"\x1f\x9d"sv, 0, Content::closed, "compress"},
    Magic{"\x89LZO"sv, 0, Content::closed, "lzop"},
    Magic{"LRZI"sv, 0, Content::closed, "lrzip"},
    Magic{"hsqs"sv, 0, Content::closed, "squashfs"},
    Magic{"MSCF"sv, 0, Content::closed, "cabinet"},
    Magic{"xar!"sv, 0, Content::closed, "xar"},
    Magic{"070701"sv, 0, Content::closed, "cpio"},
};

/// A tar from before 1988 has no magic, but a checksum over its first block.
bool is_old_tar(std::string_view block) {
  constexpr std::size_t sum_at = 148;
  constexpr std::size_t sum_size = 8;
  if (block.size() < 512 || block[0] == '\0')
    return false;
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i)
    sum += i >= sum_at && i < sum_at + sum_size ? unsigned{' '} : static_cast<unsigned char>(block[i]);
  std::string_view digits = block.substr(sum_at, sum_size);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  unsigned declared = 0;
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), declared, 8);
  return wrong == std::errc() && end != digits.data() && declared == sum;
}

/// Frames that zstd decoders skip: pzstd begins a file with one.
bool is_skippable(std::string_view bytes) {
  return bytes.size() >= 8 && (static_cast<unsigned char>(bytes[0]) & 0xf0U) == 0x50 &&
         bytes.substr(1).starts_with("\x2a\x4d\x18");
}

/// The header of the older format of xz: properties, the dictionary's size, and the length.
struct LzmaHeader {
  unsigned properties = 0;
  std::uint32_t dictionary = 0;
  std::uint64_t length = 0;

  bool has_length() const { return length != ~std::uint64_t{0}; }
  /// Whether the size is one that encoders choose, 2^n or 2^n + 2^(n-1).
  bool has_chosen_dictionary() const {
    const std::uint32_t rest = dictionary & (dictionary - 1); // without its lowest bit
    return dictionary >= 4096 && (rest == 0 || rest == (dictionary ^ rest) * 2);
  }
};

std::optional<LzmaHeader> lzma_header(std::string_view bytes) {
  constexpr std::size_t size = 13;
  constexpr unsigned usual = 0x5d, bound = 225; // (pb * 5 + lp) * 9 + lc
  constexpr std::uint64_t longest = std::uint64_t{1} << 38U;
  // A range coder's first byte is 0.
  if (bytes.size() <= size || bytes[size] != '\0')
    return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = count; i > 0; --i)
      value = (value << 8U) | static_cast<unsigned char>(bytes[at + i - 1]);
    return value;
  };
  const LzmaHeader header{static_cast<unsigned>(number(0, 1)), static_cast<std::uint32_t>(number(1, 4)),
                          number(5, 8)};
  const bool possible = header.properties == usual ||
                        (header.properties < bound &&
                         header.properties % 9 + header.properties / 9 % 5 <= 4); // liblzma's limit
  return possible && (!header.has_length() || header.length < longest) ? std::optional(header) : std::nullopt;
}

/// By the bytes alone: the usual properties and either a dictionary size that encoders choose, or an unknown
/// length, as stream encoders write it: eight bytes that no other format has there.
bool is_lzma(std::string_view bytes) {
  const auto header = lzma_header(bytes);
  return header && (!header->has_length() || (header->properties == 0x5d && header->has_chosen_dictionary()));
}

bool is_named_lzma(std::string_view name) {
  return name.ends_with(".lzma") || name.ends_with(".tlz");
}

} // namespace

bool can_be_lzma(std::string_view beginning) {
  return lzma_header(beginning).has_value();
}

Sniffed sniff(std::string_view beginning, std::string_view name) {
  for (const Magic& magic : magics)
    if (beginning.size() >= magic.offset && beginning.substr(magic.offset).starts_with(magic.bytes))
      return {magic.content, magic.format};
  if (is_skippable(beginning))
    return {Content::packed, "zstd"};
  if (is_lzma(beginning) || (is_named_lzma(name) && can_be_lzma(beginning)))
    return {Content::packed, "lzma"};
  if (is_old_tar(beginning))
    return {Content::packed, "tar"};
  return {};
}

} // namespace hostpin::leak
