// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/pe.hpp"

#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/machine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace hostpin::redist {

namespace {

using binary::damaged;
using binary::Reading;

constexpr std::size_t most_dlls = 4096, longest_name = 512;
/// Data directories: exports, imports, delayed imports. Each has descriptors of this size, with the offset of
/// the DLL's name.
struct Table {
  std::size_t directory, descriptor, name;
};
constexpr Table exports{0, 40, 12}, imports{1, 20, 12}, delayed{13, 32, 4};

struct Section {
  std::uint64_t address, size, offset;
};

/// A file whose numbers are little-endian; a read outside it returns nothing.
class Image {
public:
  explicit Image(std::string_view bytes) : bytes_(bytes, false, true) {}

  std::optional<std::uint64_t> number(std::uint64_t at, std::size_t size) const {
    return bytes_.number(at, size);
  }
  bool read_headers();
  /// The offset in the file of an address relative to the image's base.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  std::optional<std::string> text_at(std::uint64_t address) const;
  /// The address of a data directory; 0 if it has none.
  std::uint64_t directory(std::size_t index) const;

private:
  binary::ElfBytes bytes_;
  std::uint64_t directories_ = 0, count_ = 0;
  std::vector<Section> sections_;
};

bool Image::read_headers() {
  const auto at = number(0x3c, 4);
  if (!at)
    return false;
  const auto sections = number(*at + 6, 2), optional = number(*at + 20, 2), magic = number(*at + 24, 2);
  if (!sections || !optional || !magic)
    return false;
  const std::uint64_t counted = *at + 24 + (*magic == 0x20b ? 108 : 92);
  count_ = std::min<std::uint64_t>(number(counted, 4).value_or(0), 16);
  directories_ = counted + 4;
  for (std::uint64_t i = 0; i < *sections; ++i) {
    const std::uint64_t header = *at + 24 + *optional + i * 40;
    const auto address = number(header + 12, 4), size = number(header + 16, 4),
               offset = number(header + 20, 4);
    if (!address || !size || !offset)
      return false;
    sections_.push_back({*address, *size, *offset});
  }
  return true;
}

std::optional<std::uint64_t> Image::offset_of(std::uint64_t address) const {
  for (const Section& section : sections_)
    if (address >= section.address && address - section.address < section.size)
      return address - section.address + section.offset;
  return std::nullopt;
}

std::optional<std::string> Image::text_at(std::uint64_t address) const {
  const auto offset = offset_of(address);
  std::string text;
  while (offset && text.size() < longest_name) {
    const auto character = number(*offset + text.size(), 1);
    if (!character)
      return std::nullopt;
    if (*character == 0)
      return text;
    text += static_cast<char>(*character);
  }
  return std::nullopt;
}

std::uint64_t Image::directory(std::size_t index) const {
  return index < count_ ? number(directories_ + index * 8, 4).value_or(0) : 0;
}

/// The names of a table of descriptors, which ends with one without a name. False if it is damaged.
bool read_names(const Image& image, const Table& table, std::vector<std::string>& names) {
  const std::uint64_t address = image.directory(table.directory);
  if (address == 0)
    return true;
  const auto begin = image.offset_of(address);
  for (std::uint64_t i = 0; begin && i < most_dlls; ++i) {
    const auto name = image.number(*begin + i * table.descriptor + table.name, 4);
    if (!name)
      return false;
    if (*name == 0)
      return true;
    auto text = image.text_at(*name);
    if (!text)
      return false;
    names.push_back(*std::move(text));
  }
  return false;
}

} // namespace

Reading<std::optional<PeImage>> read_pe(std::string_view bytes) {
  const auto header = binary::pe_header(bytes);
  Image image(bytes);
  if (!header || !image.read_headers())
    return std::nullopt;
  PeImage pe{header->machine, header->library, {}, {}};
  if (!read_names(image, imports, pe.imports) || !read_names(image, delayed, pe.imports))
    return damaged("its table of imports is outside the file or has no end");
  if (const std::uint64_t address = image.directory(exports.directory); address != 0) {
    const auto at = image.offset_of(address);
    const auto name = at ? image.number(*at + exports.name, 4) : std::nullopt;
    const auto text = name ? image.text_at(*name) : std::nullopt;
    if (!text)
      return damaged("its table of exports is outside the file");
    pe.name = *text;
  }
  return pe;
}

std::optional<CoffMember> read_coff_member(std::string_view bytes) {
  const binary::ElfBytes content(bytes, false, true);
  const auto first = content.number(0, 2), second = content.number(2, 2);
  if (!first || !second)
    return std::nullopt;
  if (*first == 0 && *second == 0xffff) { // the symbol and the DLL follow a header of 20 bytes
    const auto machine = content.number(6, 2);
    const std::size_t symbol_end = bytes.find('\0', 20);
    const std::size_t end = symbol_end == bytes.npos ? bytes.npos : bytes.find('\0', symbol_end + 1);
    if (!machine || end == bytes.npos || end - symbol_end > longest_name)
      return std::nullopt;
    return CoffMember{static_cast<std::uint16_t>(*machine),
                      std::string(bytes.substr(symbol_end + 1, end - symbol_end - 1))};
  }
  constexpr std::array<std::uint64_t, 3> machines{0x8664, 0xaa64, 0x14c};
  if (std::ranges::find(machines, *first) == machines.end())
    return std::nullopt;
  return CoffMember{static_cast<std::uint16_t>(*first), {}};
}

std::vector<std::string> imported_dlls(std::string_view bytes) {
  constexpr std::size_t most = 64, longest_member = 1024;
  std::vector<std::string> dlls;
  if (binary::archive_kind(bytes) != binary::ArchiveKind::ordinary)
    return dlls;
  const binary::InputFile file(bytes);
  binary::ArchiveReader reader(binary::Bytes(file), binary::ArchiveKind::ordinary);
  for (auto member = reader.next(); member && *member && dlls.size() < most; member = reader.next()) {
    if (!(*member)->content)
      continue;
    auto coff = read_coff_member((*member)->content->up_to(0, longest_member));
    if (coff && !coff->dll.empty() && std::ranges::find(dlls, coff->dll) == dlls.end())
      dlls.push_back(std::move(coff->dll));
  }
  return dlls;
}

} // namespace hostpin::redist
