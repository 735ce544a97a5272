// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/dynamic_symbols.hpp"

#include "toolchains/binary/sections.hpp"

#include <cstdint>
#include <elf.h>
#include <optional>
#include <string>

namespace hostpin::binary {

namespace {

constexpr std::uint64_t longest_name = 65535;

/// Names of a string table, which is copied if the file cannot show all of it at once.
class Names {
public:
  static std::optional<Names> read(const Bytes& table) {
    constexpr std::uint64_t most = std::uint64_t{256} << 20U; // libtorch_cpu.so has 10 MB
    if (table.size() > most)
      return std::nullopt;
    Names names;
    names.text_ = table.stable_view(0, table.size());
    if (!names.text_) {
      names.copy_.resize(table.size());
      if (!table.read(0, names.copy_.data(), names.copy_.size()))
        return std::nullopt;
    }
    return names;
  }

  /// Empty if the offset is outside, or no NUL ends the name.
  std::string_view at(std::uint64_t offset) const {
    const std::string_view all = text_ ? *text_ : std::string_view(copy_);
    if (offset >= all.size())
      return {};
    const std::string_view rest = all.substr(static_cast<std::size_t>(offset), longest_name + 1);
    const std::size_t end = rest.find('\0');
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
  }

private:
  std::optional<std::string_view> text_;
  std::string copy_;
};

struct Layout {
  std::size_t entry, info, section;
};
constexpr Layout wide_layout{24, 4, 6}, narrow_layout{16, 12, 14};

/// The dynamic symbol table and its names.
struct Tables {
  Bytes symbols, names;
};

Reading<std::optional<Tables>> tables_of(const SectionTable& sections) {
  std::optional<ObjectSection> found;
  TRY(sections.each([&](const ObjectSection& one) {
    if (one.type == SHT_DYNSYM)
      found = one;
    return !found;
  }));
  if (!found)
    return std::nullopt;
  const auto strings = sections.at(found->link);
  const auto symbols = sections.content(*found);
  const auto names = strings ? sections.content(*strings) : std::nullopt;
  if (!symbols || !names)
    return damaged("its dynamic symbols are past its end");
  return Tables{*symbols, *names};
}

} // namespace

Reading<bool> each_dynamic_symbol(const Bytes& file, const std::function<bool(const DynamicSymbol&)>& visit) {
  TRY_ASSIGN(auto opened, SectionTable::open(file, ElfKinds::any));
  if (!opened)
    return false;
  const SectionTable& sections = *opened;
  TRY_ASSIGN(const auto tables, tables_of(sections));
  if (!tables)
    return false;
  const auto names = Names::read(tables->names);
  if (!names)
    return damaged("the names of its dynamic symbols cannot be read");
  const Layout layout = sections.is_wide() ? wide_layout : narrow_layout;
  const Bytes& symbols = tables->symbols;
  for (std::uint64_t at = layout.entry; at + layout.entry <= symbols.size(); at += layout.entry) {
    const auto bytes = symbols.view(at, layout.entry);
    if (!bytes)
      return damaged("its dynamic symbols cannot be read");
    const ElfBytes entry = sections.numbers(*bytes);
    const std::uint64_t binding = *entry.number(layout.info, 1) >> 4U;
    const DynamicSymbol symbol{names->at(*entry.number(0, 4)), *entry.number(layout.section, 2) != SHN_UNDEF,
                               binding == STB_WEAK};
    if (binding != STB_LOCAL && !symbol.name.empty() && !visit(symbol))
      break;
  }
  return true;
}

} // namespace hostpin::binary
