// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/symbols.hpp"

#include "toolchains/library/elf.hpp"
#include "toolchains/library/elf_bytes.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hostpin {

namespace {

constexpr std::uint64_t most_records = 1U << 20U;

struct Section {
  std::uint64_t type = 0, offset = 0, size = 0, link = 0;
};

std::optional<ElfBytes> open(std::string_view bytes) {
  const bool elf = bytes.size() > 16 && bytes.starts_with("\x7f"
                                                          "ELF");
  return elf ? std::optional(ElfBytes(bytes, bytes[4] == 2, bytes[5] == 1)) : std::nullopt;
}

std::vector<Section> sections(const ElfBytes& file) {
  const bool wide = file.wide();
  std::vector<Section> found;
  const auto table = file.word(wide ? 40 : 32);
  const auto size = file.number(wide ? 58 : 46, 2);
  const auto count = file.number(wide ? 60 : 48, 2);
  for (std::uint64_t i = 0; table && size && count && i < *count; ++i) {
    const std::uint64_t at = *table + i * *size;
    const auto type = file.number(at + 4, 4);
    const auto offset = file.word(at + (wide ? 24 : 16));
    const auto bytes = file.word(at + (wide ? 32 : 20));
    const auto link = file.number(at + (wide ? 40 : 24), 4);
    if (!type || !offset || !bytes || !link)
      return found;
    found.push_back({*type, *offset, *bytes, *link});
  }
  return found;
}

const Section* of_type(const std::vector<Section>& all, std::uint64_t type) {
  for (const Section& section : all)
    if (section.type == type)
      return &section;
  return nullptr;
}

std::string_view string_at(const ElfBytes& file, const Section& strings, std::uint64_t index) {
  const auto table = file.slice(strings.offset, strings.size);
  if (!table || index >= table->size())
    return {};
  const std::string_view rest = table->substr(static_cast<std::size_t>(index));
  return rest.substr(0, rest.find('\0'));
}

/// The number by which .gnu.version refers to a version that is needed.
std::optional<std::uint64_t> number_of(const ElfBytes& file, const Section& needs, const Section& strings,
                                       std::string_view version) {
  std::uint64_t at = needs.offset;
  for (std::uint64_t i = 0; i < most_records; ++i) {
    const auto count = file.number(at + 2, 2);
    const auto first = file.number(at + 8, 4);
    const auto next = file.number(at + 12, 4);
    if (!count || !first || !next)
      return std::nullopt;
    std::uint64_t one = at + *first;
    for (std::uint64_t k = 0; k < *count; ++k) {
      const auto number = file.number(one + 6, 2);
      const auto name = file.number(one + 8, 4);
      const auto further = file.number(one + 12, 4);
      if (!number || !name || !further)
        return std::nullopt;
      if (string_at(file, strings, *name) == version)
        return number;
      one += *further;
    }
    if (*next == 0)
      return std::nullopt;
    at += *next;
  }
  return std::nullopt;
}

bool mentions(std::string_view bytes, std::string_view symbol) {
  // A name of a string table ends with a NUL and, sharing its end with a longer one aside, begins behind one.
  const std::string name = std::string(1, '\0').append(symbol) + '\0';
  return bytes.find(name) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" /");
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

} // namespace

std::vector<std::string> symbols_wanting(std::string_view bytes, std::string_view version) {
  constexpr std::uint64_t type_dynamic_symbols = 11, type_needs = 0x6ffffffe, type_versions = 0x6fffffff;
  std::vector<std::string> names;
  const auto file = open(bytes);
  if (!file)
    return names;
  const std::vector<Section> all = sections(*file);
  const Section* const symbols = of_type(all, type_dynamic_symbols);
  const Section* const needs = of_type(all, type_needs);
  const Section* const versions = of_type(all, type_versions);
  if (symbols == nullptr || needs == nullptr || versions == nullptr || symbols->link >= all.size())
    return names;
  const Section& strings = all[symbols->link];
  const auto number = number_of(*file, *needs, strings, version);
  const std::uint64_t size = file->wide() ? 24 : 16;
  for (std::uint64_t i = 0; number && i < symbols->size / size && i < most_records; ++i) {
    const auto own = file->number(versions->offset + 2 * i, 2);
    const auto name = file->number(symbols->offset + i * size, 4);
    if (!own || !name)
      break;
    if ((*own & 0x7fffU) == *number)
      names.emplace_back(string_at(*file, strings, *name));
  }
  return names;
}

std::string mention(const std::string& path, std::string_view bytes, std::string_view symbol) {
  if (!is_archive(bytes))
    return mentions(bytes, symbol) ? path : std::string();
  constexpr std::size_t header_size = 60, name_size = 16, size_at = 48, size_digits = 10;
  std::string_view long_names;
  for (std::size_t at = 8; at + header_size <= bytes.size();) {
    const std::string_view header = bytes.substr(at, header_size);
    std::size_t size = 0;
    const char* const digits = header.data() + size_at;
    if (std::from_chars(digits, digits + size_digits, size).ec != std::errc())
      return {};
    const std::string_view member = bytes.substr(at + header_size, size);
    const std::string_view name = header.substr(0, name_size);
    at += header_size + size + size % 2;
    if (name.starts_with("// ")) {
      long_names = member;
      continue;
    }
    if (name.starts_with("/ ") || name.starts_with("/SYM64/") || !mentions(member, symbol))
      continue;
    std::size_t index = 0;
    const bool is_long =
        name.starts_with('/') &&
        std::from_chars(name.data() + 1, name.data() + name.size(), index).ec == std::errc() &&
        index < long_names.size();
    const std::string_view rest = is_long ? long_names.substr(index) : name;
    return path + '(' + std::string(trimmed(is_long ? rest.substr(0, rest.find('\n')) : rest)) + ')';
  }
  return {};
}

} // namespace hostpin
