// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/options.hpp"

#include <algorithm>
#include <array>

namespace hostpin {

namespace {

using Meaning = LinkerOption::Meaning;

struct Valued {
  std::string_view name;
  Meaning meaning;
  bool joined; ///< the value may also be the rest of the word; elsewhere it is behind `=` or the next word
};

// Options with a value, from the manuals of GNU ld 2.46, gold, lld 22, mold 2 and nvlink 13.0. Those that
// mean nothing here are listed because their value could look like an input.
constexpr auto valued = std::to_array<Valued>({
    {"library-path", Meaning::directory, false},
    {"library", Meaning::library, false},
    {"sysroot", Meaning::sysroot, false},
    {"plugin-opt", Meaning::plugin_option, false},
    {"plugin", Meaning::plugin, false},
    {"undefined", Meaning::wanted, false},
    {"require-defined", Meaning::wanted, false},
    {"entry", Meaning::wanted, false},
    {"script", Meaning::input, false},
    {"default-script", Meaning::input, false},
    {"fuse-ld", Meaning::use_linker, false},
    {"dynamic-linker", Meaning::value, false},
    {"rpath", Meaning::value, false},
    {"rpath-link", Meaning::value, false},
    {"soname", Meaning::value, false},
    {"output", Meaning::value, false},
    {"version-script", Meaning::value, false},
    {"dynamic-list", Meaning::value, false},
    {"Map", Meaning::value, false},
    {"mllvm", Meaning::value, false},
    {"defsym", Meaning::definition, false},
    {"wrap", Meaning::wrap, false},
    {"unresolved-symbols", Meaning::unresolved, false},
    {"undefined-glob", Meaning::renames, false},
    {"export-dynamic-symbol", Meaning::value, false},
    {"export-dynamic-symbol-list", Meaning::value, false},
    {"init", Meaning::value, false},
    {"fini", Meaning::value, false},
    {"exclude-libs", Meaning::value, false},
    {"retain-symbols-file", Meaning::value, false},
    {"section-start", Meaning::value, false},
    {"hash-style", Meaning::value, false},
    {"oformat", Meaning::value, false},
    {"format", Meaning::format, false},
    {"architecture", Meaning::value, false},
    {"auxiliary", Meaning::value, false},
    {"filter", Meaning::value, false},
    {"assert", Meaning::value, false},
    {"audit", Meaning::value, false},
    {"depaudit", Meaning::value, false},
    {"trace-symbol", Meaning::value, false},
    {"just-symbols", Meaning::symbols, false},
    {"out-implib", Meaning::value, false},
    {"symbol-ordering-file", Meaning::value, false},
    {"section-ordering-file", Meaning::value, false},
    {"dependency-file", Meaning::value, false},
    {"Ttext", Meaning::value, false},
    {"Tdata", Meaning::value, false},
    {"Tbss", Meaning::value, false},
    {"host-ccbin", Meaning::value, false},
    {"output-file", Meaning::value, false},
    {"L", Meaning::directory, true},
    {"l", Meaning::library, true},
    {"T", Meaning::input, true},
    {"m", Meaning::emulation, true},
    {"u", Meaning::wanted, true},
    {"e", Meaning::wanted, true},
    {"o", Meaning::value, true},
    {"h", Meaning::value, true},
    {"R", Meaning::run_path, true},
    {"I", Meaning::value, true},
    {"z", Meaning::keyword, true},
    {"y", Meaning::value, true},
    {"Y", Meaning::value, true},
    {"A", Meaning::value, true},
    {"a", Meaning::value, true},
    {"b", Meaning::format, true},
    {"c", Meaning::value, true},
    {"f", Meaning::value, true},
    {"F", Meaning::value, true},
    {"G", Meaning::value, true},
    {"P", Meaning::value, true},
});

struct Switch {
  std::string_view name;
  bool LinkWords::*member;
};
constexpr auto switches = std::to_array<Switch>({{"shared", &LinkWords::shared},
                                                 {"Bshareable", &LinkWords::shared},
                                                 {"r", &LinkWords::relocatable},
                                                 {"i", &LinkWords::relocatable},
                                                 {"relocatable", &LinkWords::relocatable},
                                                 {"fno-lto", &LinkWords::no_lto},
                                                 {"fat-lto-objects", &LinkWords::fat_bitcode},
                                                 {"nostdlib", &LinkWords::no_own_directories},
                                                 {"dlto", &LinkWords::device_lto}});

struct UndefinedWord {
  std::string_view name;
  Undefined meaning;
};
// Options, values of -z, and of --unresolved-symbols, in GNU ld and gold; the last one holds.
constexpr auto undefined_options =
    std::to_array<UndefinedWord>({{"no-undefined", Undefined::fails},
                                  {"warn-unresolved-symbols", Undefined::passes},
                                  {"error-unresolved-symbols", Undefined::by_output}});
constexpr auto undefined_keywords =
    std::to_array<UndefinedWord>({{"defs", Undefined::fails}, {"undefs", Undefined::passes}});
constexpr auto undefined_methods =
    std::to_array<UndefinedWord>({{"ignore-all", Undefined::passes},
                                  {"ignore-in-object-files", Undefined::passes},
                                  {"ignore-in-shared-libs", Undefined::fails},
                                  {"report-all", Undefined::fails}});

template <typename Table>
std::optional<Undefined> undefined_by(const Table& table, std::string_view word) {
  const auto* const row =
      std::find_if(table.begin(), table.end(), [&](const UndefinedWord& one) { return one.name == word; });
  return row == table.end() ? std::nullopt : std::optional(row->meaning);
}

} // namespace

std::string_view option_name(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word;
}

std::optional<LinkerOption> linker_option(std::string_view word) {
  const std::string_view name = option_name(word);
  for (const Valued& row : valued) {
    if (name == row.name)
      return LinkerOption{row.meaning, std::nullopt};
    if (!name.starts_with(row.name))
      continue;
    const bool equals = name[row.name.size()] == '=';
    if (equals && !row.joined)
      return LinkerOption{row.meaning, name.substr(row.name.size() + 1)};
    if (row.joined && !word.starts_with("--"))
      return LinkerOption{row.meaning, name.substr(row.name.size())};
  }
  return std::nullopt;
}

bool LinkWords::*linker_switch(std::string_view name) {
  for (const Switch& row : switches)
    if (row.name == name)
      return row.member;
  return nullptr;
}

std::optional<Undefined> undefined_by_option(std::string_view name) {
  return undefined_by(undefined_options, name);
}

std::optional<Undefined> undefined_by_keyword(std::string_view keyword) {
  return undefined_by(undefined_keywords, keyword);
}

std::optional<Undefined> undefined_by_method(std::string_view method) {
  return undefined_by(undefined_methods, method);
}

} // namespace hostpin
