// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/symbols.hpp"

#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/sections.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

namespace hostpin::loader {

namespace {

// Bounds for malicious files: records may overlap, names may share their bytes.
constexpr std::uint64_t most_records = 1U << 20U;
constexpr std::uint64_t most_versions = 65536;
constexpr std::size_t most_symbols = 10000;
constexpr std::size_t longest_symbol = 65536;

/// A file in memory, by its sections.
class Object {
public:
  explicit Object(std::string_view bytes) : file_(bytes) {
    if (auto table = binary::SectionTable::open(binary::Bytes(file_), binary::ElfKinds::any))
      table_ = *std::move(table);
  }

  bool is_elf() const { return table_.has_value(); }
  bool is_relocatable() const { return table_ && table_->type() == 1; }
  bool is_wide() const { return table_->is_wide(); }

  struct Section {
    std::string_view content;
    std::uint32_t link = 0;
  };
  /// The first one; nothing if there is none, or it is not inside the file.
  std::optional<Section> of_type(std::uint32_t type) const {
    std::optional<binary::ObjectSection> found;
    if (table_)
      static_cast<void>(table_->each([&](const binary::ObjectSection& one) {
        if (one.type == type)
          found = one;
        return !found;
      }));
    return found ? content(*found) : std::nullopt;
  }
  std::optional<std::string_view> strings(const Section& section) const {
    const auto strings = table_->at(section.link);
    const auto found = strings ? content(*strings) : std::nullopt;
    return found ? std::optional(found->content) : std::nullopt;
  }
  binary::ElfBytes numbers(std::string_view bytes) const { return table_->numbers(bytes); }

private:
  std::optional<Section> content(const binary::ObjectSection& section) const {
    const auto bytes = table_->content(section);
    const auto content = bytes ? bytes->stable_view(0, bytes->size()) : std::nullopt;
    return content ? std::optional(Section{*content, section.link}) : std::nullopt;
  }

  binary::InputFile file_;
  std::optional<binary::SectionTable> table_;
};

std::string_view string_at(std::string_view strings, std::uint64_t index) {
  if (index >= strings.size())
    return {};
  const std::string_view rest = strings.substr(static_cast<std::size_t>(index), longest_symbol);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

/// The number by which .gnu.version refers to a needed version. `needs`: the content of .gnu.version_r.
std::optional<std::uint64_t> number_of(const binary::ElfBytes& needs, std::string_view strings,
                                       std::string_view library, std::string_view version) {
  std::uint64_t at = 0;
  for (std::uint64_t room = most_versions; room > 0; --room) {
    const auto count = needs.number(at + 2, 2);
    const auto name_at = needs.number(at + 4, 4);
    const auto first = needs.number(at + 8, 4);
    const auto next = needs.number(at + 12, 4);
    if (!count || !name_at || !first || !next)
      return std::nullopt;
    std::uint64_t one = at + *first;
    const bool sought = string_at(strings, *name_at) == library;
    for (std::uint64_t k = 0; sought && k < *count && room > 1; ++k, --room) {
      const auto number = needs.number(one + 6, 2);
      const auto name = needs.number(one + 8, 4);
      const auto further = needs.number(one + 12, 4);
      if (!number || !name || !further)
        return std::nullopt;
      if (string_at(strings, *name) == version)
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

/// Visits the symbols of a section of that type, with their numbers, until one cannot be read or `visit`
/// returns false.
template <typename Visit>
void each_symbol(const Object& object, std::uint32_t type, const Visit& visit) {
  const auto symbols = object.of_type(type);
  const auto strings = symbols ? object.strings(*symbols) : std::nullopt;
  if (!strings)
    return;
  const binary::ElfBytes numbers = object.numbers(symbols->content);
  const std::uint64_t size = object.is_wide() ? 24 : 16;
  const std::uint64_t count = std::min(symbols->content.size() / size, most_records);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = numbers.number(i * size, 4);
    const auto section = numbers.number(i * size + (object.is_wide() ? 6 : 14), 2);
    if (!name || !section || !visit(Symbol{string_at(*strings, *name), *section != 0}, i))
      return;
  }
}

/// A name in a string table ends with a NUL and, unless it is the end of a longer one, follows one.
bool holds_name(std::string_view bytes, std::string_view name) {
  return bytes.find(std::string(1, '\0').append(name) + '\0') != std::string_view::npos;
}

constexpr std::uint32_t type_symbols = 2, type_dynamic_symbols = 11; // section types

bool refers_to(std::string_view bytes, std::string_view symbol) {
  constexpr std::string_view raw_bitcode = "BC\xC0\xDE", wrapped_bitcode = "\xDE\xC0\x17\x0B";
  const Object object(bytes);
  if (!object.is_elf()) // bitcode has no NULs between names; source code would only match by chance
    return (bytes.starts_with(raw_bitcode) || bytes.starts_with(wrapped_bitcode)) &&
           bytes.find(symbol) != std::string_view::npos;
  if (!object.is_relocatable())
    return false;
  bool refers = false;
  each_symbol(object, type_symbols, [&](const Symbol& one, std::uint64_t) {
    const bool slim = one.name == "__gnu_lto_slim"; // of GCC: the names are in a separate section
    refers = slim ? holds_name(bytes, symbol) : one.name == symbol && !one.defined;
    return !slim && one.name != symbol;
  });
  return refers;
}

std::set<std::string> exported(const std::string& library) {
  std::set<std::string> names;
  const auto bytes = binary::MappedFile::open(library);
  if (bytes)
    each_symbol(Object(bytes->bytes()), type_dynamic_symbols, [&](const Symbol& one, std::uint64_t) {
      if (one.defined)
        names.emplace(one.name);
      return true;
    });
  return names;
}

/// Members of a thin archive are separate files, named relative to the archive's directory.
std::string next_to(const std::string& archive, const std::string& name) {
  return name.starts_with('/') ? name : archive.substr(0, archive.rfind('/') + 1) + name;
}

} // namespace

std::vector<std::string> symbols_wanting(std::string_view bytes, std::string_view library,
                                         std::string_view version) {
  constexpr std::uint32_t type_needs = 0x6ffffffe, type_versions = 0x6fffffff;
  std::vector<std::string> names;
  const Object object(bytes);
  const auto symbols = object.of_type(type_dynamic_symbols), needs = object.of_type(type_needs),
             versions = object.of_type(type_versions);
  const auto strings = symbols ? object.strings(*symbols) : std::nullopt;
  if (!strings || !needs || !versions)
    return names;
  const auto number = number_of(object.numbers(needs->content), *strings, library, version);
  if (!number)
    return names;
  const binary::ElfBytes numbers = object.numbers(versions->content);
  each_symbol(object, type_dynamic_symbols, [&](const Symbol& symbol, std::uint64_t i) {
    const auto own = numbers.number(2 * i, 2);
    if (own && (*own & 0x7fffU) == *number && !symbol.name.empty())
      names.emplace_back(symbol.name);
    return own && names.size() < most_symbols;
  });
  return names;
}

namespace {

/// Visits an input, or each member of an archive, under its printed name, until `visit` returns false.
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
    const auto file = member.content ? std::nullopt : binary::MappedFile::open(next_to(path, member.name));
    std::string_view content;
    if (file)
      content = file->bytes();
    else if (member.content)
      content = member.content->stable_view(0, member.content->size()).value_or(std::string_view());
    if (visit(path + '(' + member.name + ')', content))
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
    const Object file(object);
    if (!file.is_relocatable())
      return false;
    each_symbol(file, type_symbols, [&](const Symbol& one, std::uint64_t) {
      const std::string symbol(one.name);
      // <iostream> of GCC 13 and later refers to it so that the library's version is needed, and calls
      // nothing: no link fails because of it.
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
  if (!own.empty()) // if the library cannot be read, nothing is known
    for (const std::string& input : inputs)
      if (const auto file = binary::MappedFile::open(input))
        each_object(input, file->bytes(), take);
  std::erase_if(lacked, [&](const LackedSymbol& one) { return defined.contains(one.name); });
  return lacked;
}

} // namespace hostpin::loader
