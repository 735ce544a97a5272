// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/structured.hpp"
#include "tests/unit/toolchains/binary/fatbin_pieces.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <span>

namespace hostpin::test {

namespace {

struct Field {
  std::size_t offset, size;
};

/// Rows of one kind.
struct Table {
  std::span<const Field> fields;
  std::size_t row = 0;                ///< bytes of one, as far as they are fields
  std::vector<std::size_t> offsets{}; ///< in the file
};

constexpr Field file_fields[] = {{16, 2}, {18, 2}, {20, 4}, {24, 8}, {32, 8}, {40, 8}, {48, 4},
                                 {52, 2}, {54, 2}, {56, 2}, {58, 2}, {60, 2}, {62, 2}};
constexpr Field segment_fields[] = {{0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 8}, {48, 8}};
constexpr Field section_fields[] = {{0, 4},  {4, 4},  {8, 8},  {16, 8}, {24, 8},
                                    {32, 8}, {40, 4}, {44, 4}, {48, 8}, {56, 8}};
constexpr Field dynamic_fields[] = {{0, 8}, {8, 8}};
constexpr Field symbol_fields[] = {{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}};
constexpr Field relocation_fields[] = {{0, 8}, {8, 4}, {12, 4}, {16, 8}};
constexpr Field fatbin_fields[] = {{4, 2}, {6, 2}, {8, 8}};
constexpr Field entry_fields[] = {{0, 2},  {2, 2},  {4, 4},  {8, 8},  {16, 4}, {20, 4}, {24, 2},
                                  {26, 2}, {28, 4}, {32, 4}, {36, 4}, {40, 8}, {48, 8}, {56, 8}};

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t byte = size; byte-- > 0;)
    value = value << 8U | static_cast<unsigned char>(bytes[at + byte]);
  return value;
}

/// `count` rows of a table, as far as they are in the file.
Table rows(std::span<const Field> fields, std::size_t row, std::string_view bytes, std::uint64_t at,
           std::uint64_t count) {
  Table table{fields, row};
  for (std::uint64_t index = 0; index < std::min<std::uint64_t>(count, 500); ++index)
    if (at <= bytes.size() && row * (index + 1) <= bytes.size() - at)
      table.offsets.push_back(static_cast<std::size_t>(at) + row * static_cast<std::size_t>(index));
  return table;
}

void add_elf(std::string_view bytes, std::vector<Table>& tables) {
  Elf64_Ehdr file{};
  if (bytes.size() < sizeof file || !bytes.starts_with("\x7f"
                                                       "ELF\2\1"))
    return;
  std::memcpy(&file, bytes.data(), sizeof file);
  tables.push_back(rows(file_fields, sizeof file, bytes, 0, 1));
  tables.push_back(rows(segment_fields, sizeof(Elf64_Phdr), bytes, file.e_phoff, file.e_phnum));
  for (const std::size_t offset : Table(tables.back()).offsets)
    if (number_at(bytes, offset, 4) == PT_DYNAMIC)
      tables.push_back(rows(dynamic_fields, sizeof(Elf64_Dyn), bytes, number_at(bytes, offset + 8, 8),
                            number_at(bytes, offset + 32, 8) / sizeof(Elf64_Dyn)));
  tables.push_back(rows(section_fields, sizeof(Elf64_Shdr), bytes, file.e_shoff, file.e_shnum));
  for (const std::size_t offset : Table(tables.back()).offsets) {
    const std::uint64_t type = number_at(bytes, offset + 4, 4), at = number_at(bytes, offset + 24, 8),
                        size = number_at(bytes, offset + 32, 8);
    if (type == SHT_SYMTAB || type == SHT_DYNSYM)
      tables.push_back(rows(symbol_fields, sizeof(Elf64_Sym), bytes, at, size / sizeof(Elf64_Sym)));
    if (type == SHT_RELA)
      tables.push_back(rows(relocation_fields, sizeof(Elf64_Rela), bytes, at, size / sizeof(Elf64_Rela)));
  }
}

void add_fatbins(std::string_view bytes, std::vector<Table>& tables) {
  constexpr std::size_t header = 16, entry_header = 64;
  const std::string magic = little(0xba55ed50, 4);
  Table fatbins{fatbin_fields, header}, entries{entry_fields, entry_header};
  for (std::size_t at = bytes.find(magic); at != std::string_view::npos; at = bytes.find(magic, at + 4)) {
    if (bytes.size() - at < header)
      break;
    fatbins.offsets.push_back(at);
    const std::uint64_t end =
        std::min<std::uint64_t>(number_at(bytes, at + 8, 8), bytes.size() - at - header);
    for (std::uint64_t entry = 0; entry < end && end - entry >= entry_header;) {
      const std::size_t offset = at + header + static_cast<std::size_t>(entry);
      entries.offsets.push_back(offset);
      const std::uint64_t size = number_at(bytes, offset + 4, 4), payload = number_at(bytes, offset + 8, 8);
      if (size < entry_header || size > end - entry || payload > end - entry - size)
        break;
      entry += size + payload;
    }
  }
  tables.push_back(std::move(fatbins));
  tables.push_back(std::move(entries));
}

/// A number at which arithmetic goes wrong, the size of the file, or about what is there.
std::uint64_t changed_number(std::uint64_t now, std::size_t file_size, Choices& choices) {
  switch (choices.below(6)) {
  case 0:
    return now + 1;
  case 1:
    return now - 1;
  case 2:
    return now * 2;
  case 3:
    return now ^ std::uint64_t{1} << choices.below(64);
  case 4:
    return file_size - 8 + choices.below(16);
  default:
    break;
  }
  return Node{Node::Kind::number, edge_number(choices), {}}.number();
}

} // namespace

void change_binary(std::string& bytes, Choices& choices) {
  std::vector<Table> tables;
  add_elf(bytes, tables);
  add_fatbins(bytes, tables);
  std::erase_if(tables, [](const Table& table) { return table.offsets.empty(); });
  if (tables.empty())
    return;
  const Table& table = tables[choices.below(tables.size())];
  const std::size_t row = table.offsets[choices.below(table.offsets.size())];
  const std::size_t how = choices.below(6);
  if (how < 2) {
    const std::size_t other = table.offsets[choices.below(table.offsets.size())];
    const std::string first = bytes.substr(row, table.row), second = bytes.substr(other, table.row);
    put(bytes, row, second);
    if (how == 0)
      put(bytes, other, first);
    return;
  }
  const Field field = table.fields[choices.below(table.fields.size())];
  const std::uint64_t now = number_at(bytes, row + field.offset, field.size);
  put(bytes, row + field.offset, little(changed_number(now, bytes.size(), choices), field.size));
}

} // namespace hostpin::test
