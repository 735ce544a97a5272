// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/elf/sections.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t ident_size = 16;
constexpr std::uint64_t most_sections =
    200000;                          // an object with a section for each of its functions has some 50,000
constexpr std::uint64_t no_bits = 8; // SHT_NOBITS
constexpr std::size_t longest_name = 4096;

struct Table {
  std::uint64_t offset = 0, entry_size = 0, count = 0, names = 0;
};

struct Record {
  std::uint64_t name = 0, type = 0, flags = 0, offset = 0, size = 0, link = 0;
};

/// A number of that many bytes, of which all must be there.
template <std::size_t size, bool little>
std::uint64_t number_in(const char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[little ? i : size - 1 - i])} << (8 * i);
  return value;
}

template <bool wide, bool little>
Record record_in(const char* bytes) {
  constexpr std::size_t word = wide ? 8 : 4;
  return {number_in<4, little>(bytes),
          number_in<4, little>(bytes + 4),
          number_in<word, little>(bytes + 8),
          number_in<word, little>(bytes + (wide ? 24 : 16)),
          number_in<word, little>(bytes + (wide ? 32 : 20)),
          number_in<4, little>(bytes + (wide ? 40 : 24))};
}

/// A file has up to hundreds of thousands of them: their bounds are checked once, and nothing is decided
/// while they are read.
using ReadRecord = Record (*)(const char* bytes);
ReadRecord record_reader(bool wide, bool little) {
  if (wide)
    return little ? record_in<true, true> : record_in<true, false>;
  return little ? record_in<false, true> : record_in<false, false>;
}

std::size_t record_size(bool wide) {
  return wide ? 64 : 40;
}

/// Where the section table is; the counts that do not fit into the header are in the first section.
std::optional<Table> read_table(const binary::ElfBytes& file, ReadRecord read_record) {
  constexpr std::uint64_t extended = 0xFFFF; // SHN_XINDEX
  const bool wide = file.wide();
  const auto offset = file.word(wide ? 40 : 32);
  const auto entry_size = file.number(wide ? 58 : 46, 2);
  const auto count = file.number(wide ? 60 : 48, 2);
  const auto names = file.number(wide ? 62 : 50, 2);
  if (!offset || !entry_size || !count || !names)
    return std::nullopt;
  Table table{*offset, *entry_size, *count, *names};
  if (table.offset == 0)
    return Table{};
  if (table.entry_size < record_size(wide))
    return std::nullopt;
  if (table.count == 0 || table.names == extended) {
    const auto bytes = file.slice(table.offset, record_size(wide));
    if (!bytes)
      return std::nullopt;
    const Record first = read_record(bytes->data());
    table.count = table.count == 0 ? first.size : table.count;
    table.names = table.names == extended ? first.link : table.names;
  }
  return table;
}

std::optional<std::string> name_at(std::string_view names, std::uint64_t index) {
  if (index >= names.size())
    return std::nullopt;
  const std::string_view rest = names.substr(static_cast<std::size_t>(index), longest_name);
  return std::string(rest.substr(0, rest.find('\0')));
}

Result<std::vector<ElfSection>> sections_of(const binary::ElfBytes& file, bool little) {
  const ReadRecord read_record = record_reader(file.wide(), little);
  auto table = read_table(file, read_record);
  if (!table)
    return failure("it is cut short or damaged: its section table cannot be read");
  std::vector<ElfSection> sections;
  if (table->count == 0)
    return sections;
  if (table->count > most_sections)
    return failure("it has " + std::to_string(table->count) + " sections, more than any real file");
  if (table->names >= table->count)
    table->names = 0;
  const auto bytes = file.slice(table->offset, table->count * table->entry_size);
  if (!bytes)
    return failure("it is cut short or damaged: its section table lies outside the file");
  const auto record = [&](std::uint64_t index) {
    return read_record(bytes->data() + static_cast<std::size_t>(index * table->entry_size));
  };
  const Record naming = record(table->names);
  const auto names = file.slice(naming.offset, naming.size);
  sections.reserve(static_cast<std::size_t>(table->count));
  for (std::uint64_t i = 1; i < table->count; ++i) {
    const Record one = record(i);
    // Without names the rest is still worth having.
    auto name = names ? name_at(*names, one.name) : std::nullopt;
    sections.push_back({name ? *std::move(name) : std::string(), static_cast<std::uint32_t>(one.type),
                        one.flags, one.offset, one.type == no_bits ? 0 : one.size});
  }
  return sections;
}

} // namespace

Result<ElfFrame> read_header(const binary::ByteSource& source) {
  const auto ident = source.slice(0, ident_size);
  if (!ident || !ident->starts_with("\x7f"
                                    "ELF"))
    return failure("it is cut short: it has no ELF header");
  const char file_class = (*ident)[4];
  const char order = (*ident)[5];
  if ((file_class != 1 && file_class != 2) || (order != 1 && order != 2))
    return failure("it is an ELF file of an unknown kind");
  ElfFrame frame;
  frame.kind.wide = file_class == 2;
  frame.little = order == 1;
  const binary::ElfBytes file = frame.bytes(source);
  const auto type = file.number(16, 2);
  const auto machine = file.number(18, 2);
  if (!type || !machine)
    return failure("it is cut short: it has no ELF header");
  frame.type = static_cast<std::uint16_t>(*type);
  frame.kind.machine = static_cast<std::uint16_t>(*machine);
  return frame;
}

Result<void> read_sections(const binary::ByteSource& source, ElfFrame& frame) {
  auto sections = sections_of(frame.bytes(source), frame.little);
  if (!sections)
    return tl::unexpected(std::move(sections.error()));
  frame.sections = *std::move(sections);
  return {};
}

std::optional<CompressedSection> compressed_section(const ElfFrame& frame, const ElfSection& section,
                                                    const binary::ByteSource& source) {
  using Method = CompressedSection::Method;
  const auto packed = [&](Method method, std::uint64_t header, std::uint64_t unpacked) {
    return header > section.size
               ? CompressedSection{}
               : CompressedSection{method, section.offset + header, section.size - header, unpacked};
  };
  if (section.is_compressed()) {
    const binary::ElfBytes file = frame.bytes(source);
    const bool wide = frame.kind.wide;
    const auto type = file.number(section.offset, 4);
    const auto unpacked = file.word(section.offset + (wide ? 8 : 4));
    if (!type || !unpacked)
      return CompressedSection{};
    return packed(*type == 1   ? Method::zlib
                  : *type == 2 ? Method::zstd
                               : Method::unknown,
                  wide ? 24 : 12, *unpacked);
  }
  if (!section.name.starts_with(".zdebug"))
    return std::nullopt;
  const auto magic = source.slice(section.offset, 4);
  const auto unpacked = binary::ElfBytes(source, true, false).word(section.offset + 4);
  if (magic != "ZLIB" || !unpacked)
    return std::nullopt; // GNU tools too take such a section as it is
  return packed(Method::zlib, 12, *unpacked);
}

} // namespace hostpin
