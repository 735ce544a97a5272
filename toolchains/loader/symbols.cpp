// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/symbols.hpp"

#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/elf_bytes.hpp"
#include "toolchains/loader/mapped.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <optional>
#include <set>

namespace hostpin {

namespace {

// Bounds for files that make things up: records may overlap, names may share their bytes.
constexpr std::uint64_t most_records = 1U << 20U;
constexpr std::uint64_t most_versions = 65536;
constexpr std::size_t most_symbols = 10000;
constexpr std::size_t longest_symbol = 65536;

struct Section {
  std::uint64_t type = 0, offset = 0, size = 0, link = 0;
};

std::optional<binary::ElfBytes> open(std::string_view bytes) {
  const bool elf = bytes.size() > 16 && bytes.starts_with("\x7f"
                                                          "ELF");
  return elf ? std::optional(binary::ElfBytes(bytes, bytes[4] == 2, bytes[5] == 1)) : std::nullopt;
}

std::vector<Section> sections(const binary::ElfBytes& file) {
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

std::string_view string_at(const binary::ElfBytes& file, const Section& strings, std::uint64_t index) {
  const auto table = file.slice(strings.offset, strings.size);
  if (!table || index >= table->size())
    return {};
  const std::string_view rest = table->substr(static_cast<std::size_t>(index), longest_symbol);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

/// The number by which .gnu.version refers to a version that is needed.
std::optional<std::uint64_t> number_of(const binary::ElfBytes& file, const Section& needs,
                                       const Section& strings, std::string_view library,
                                       std::string_view version) {
  std::uint64_t at = needs.offset;
  for (std::uint64_t room = most_versions; room > 0; --room) {
    const auto count = file.number(at + 2, 2);
    const auto name_at = file.number(at + 4, 4);
    const auto first = file.number(at + 8, 4);
    const auto next = file.number(at + 12, 4);
    if (!count || !name_at || !first || !next)
      return std::nullopt;
    std::uint64_t one = at + *first;
    const bool sought = string_at(file, strings, *name_at) == library;
    for (std::uint64_t k = 0; sought && k < *count && room > 1; ++k, --room) {
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

struct Symbol {
  std::string_view name;
  bool defined = false;
};

std::optional<Symbol> symbol_at(const binary::ElfBytes& file, const Section& symbols, const Section& strings,
                                std::uint64_t index) {
  const std::uint64_t at = symbols.offset + index * (file.wide() ? 24 : 16);
  const auto name = file.number(at, 4);
  const auto section = file.number(at + (file.wide() ? 6 : 14), 2);
  if (!name || !section)
    return std::nullopt;
  return Symbol{string_at(file, strings, *name), *section != 0};
}

std::uint64_t count_of(const binary::ElfBytes& file, const Section& symbols) {
  return std::min(symbols.size / (file.wide() ? 24 : 16), most_records);
}

/// A name in a string table ends with a NUL and, unless it is the end of a longer one, stands behind one.
bool holds_name(std::string_view bytes, std::string_view name) {
  return bytes.find(std::string(1, '\0').append(name) + '\0') != std::string_view::npos;
}

/// Visits the symbols of a section of that type, as long as they can be read and `visit` says so.
template <typename Visit>
void each_symbol(const binary::ElfBytes& file, std::uint64_t type, const Visit& visit) {
  const std::vector<Section> all = sections(file);
  const Section* const symbols = of_type(all, type);
  if (symbols == nullptr || symbols->link >= all.size())
    return;
  for (std::uint64_t i = 0; i < count_of(file, *symbols); ++i)
    if (const auto one = symbol_at(file, *symbols, all[symbols->link], i); !one || !visit(*one))
      return;
}

constexpr std::uint64_t type_relocatable = 1;                        // of a file
constexpr std::uint64_t type_symbols = 2, type_dynamic_symbols = 11; // of a section

bool refers_to(std::string_view bytes, std::string_view symbol) {
  constexpr std::string_view raw_bitcode = "BC\xC0\xDE", wrapped_bitcode = "\xDE\xC0\x17\x0B";
  const auto file = open(bytes);
  if (!file) // bitcode packs its names without NULs between them; a source would only match by chance
    return (bytes.starts_with(raw_bitcode) || bytes.starts_with(wrapped_bitcode)) &&
           bytes.find(symbol) != std::string_view::npos;
  if (file->number(16, 2) != type_relocatable)
    return false;
  bool refers = false;
  each_symbol(*file, type_symbols, [&](const Symbol& one) {
    const bool slim = one.name == "__gnu_lto_slim"; // GCC's: the names are in a section of its own
    refers = slim ? holds_name(bytes, symbol) : one.name == symbol && !one.defined;
    return !slim && one.name != symbol;
  });
  return refers;
}

std::set<std::string> exported(const std::string& library) {
  std::set<std::string> names;
  const auto bytes = MappedFile::open(library);
  if (const auto file = bytes ? open(bytes->bytes()) : std::nullopt)
    each_symbol(*file, type_dynamic_symbols, [&](const Symbol& one) {
      if (one.defined)
        names.emplace(one.name);
      return true;
    });
  return names;
}

/// Members of a thin archive are files of their own, named from where the archive is.
std::string beside(const std::string& archive, const std::string& name) {
  return name.starts_with('/') ? name : archive.substr(0, archive.rfind('/') + 1) + name;
}

} // namespace

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::vector<std::string> symbols_wanting(std::string_view bytes, std::string_view library,
                                         std::string_view version) {
  constexpr std::uint64_t type_needs = 0x6ffffffe, type_versions = 0x6fffffff;
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
  const auto number = number_of(*file, *needs, strings, library, version);
  if (!number)
    return names;
  for (std::uint64_t i = 0; i < count_of(*file, *symbols) && names.size() < most_symbols; ++i) {
    const auto own = file->number(versions->offset + 2 * i, 2);
    if (!own)
      break;
    if ((*own & 0x7fffU) != *number)
      continue;
    if (const auto symbol = symbol_at(*file, *symbols, strings, i); symbol && !symbol->name.empty())
      names.emplace_back(symbol->name);
  }
  return names;
}

namespace {

/// Visits an input, or each member of an archive, under the name it has for a person, until `visit` is
/// content.
template <typename Visit>
void each_object(const std::string& path, std::string_view bytes, const Visit& visit) {
  const binary::ArchiveKind kind = binary::archive_kind(bytes);
  if (kind == binary::ArchiveKind::none) {
    visit(path, bytes);
    return;
  }
  const binary::InputFile archive(bytes);
  binary::ArchiveReader reader(binary::Bytes(archive), kind);
  for (auto next = reader.next_or_table(); next && *next; next = reader.next_or_table()) {
    const binary::ArchiveMember& member = **next;
    if (member.is_table)
      continue;
    const auto file = member.content ? std::nullopt : MappedFile::open(beside(path, member.name));
    const auto content = member.content ? member.content->kept(0, member.content->size())
                         : file         ? std::optional(file->bytes())
                                        : std::nullopt;
    if (visit(path + '(' + member.name + ')', content.value_or(std::string_view())))
      return;
  }
}

} // namespace

std::string reference(const std::string& path, std::string_view bytes, std::string_view symbol) {
  std::string found;
  each_object(path, bytes, [&](const std::string& name, std::string_view object) {
    if (refers_to(object, symbol))
      found = name;
    return !found.empty();
  });
  return found;
}

std::vector<LackedSymbol> lacked_symbols(std::span<const std::string> inputs, const std::string& library,
                                         const std::string& newer) {
  const std::set<std::string> own = exported(library), more = exported(newer);
  std::set<std::string> defined;
  std::vector<LackedSymbol> lacked;
  const auto take = [&](const std::string& name, std::string_view object) {
    const auto file = open(object);
    if (!file || file->number(16, 2) != type_relocatable)
      return false;
    each_symbol(*file, type_symbols, [&](const Symbol& one) {
      const std::string symbol(one.name);
      // <iostream> of GCC 13 and later names it so that the library's version is needed, and calls nothing:
      // no linker fails over that.
      if (symbol == "_ZSt21ios_base_library_initv")
        return true;
      if (own.contains(symbol) || !more.contains(symbol))
        return true;
      if (one.defined)
        defined.insert(symbol);
      else if (std::none_of(lacked.begin(), lacked.end(),
                            [&](const LackedSymbol& known) { return known.name == symbol; }))
        lacked.push_back({symbol, name});
      return true;
    });
    return false;
  };
  if (!own.empty()) // of a library that cannot be read nothing is known
    for (const std::string& input : inputs)
      if (const auto file = MappedFile::open(input))
        each_object(input, file->bytes(), take);
  std::erase_if(lacked, [&](const LackedSymbol& one) { return defined.contains(one.name); });
  return lacked;
}

} // namespace hostpin
