// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/words.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

enum class Meaning {
  value,     ///< only takes a value
  directory, ///< -L
  library,   ///< -l
  input,     ///< a file by an option: a script that may name more
  symbols,   ///< --just-symbols
  run_path,  ///< -R
  sysroot,
  emulation,
  plugin,
  plugin_option,
  format, ///< -b: what the inputs behind it are
  wanted, ///< a symbol that must be found
  wrap,
  definition, ///< --defsym
  renames,
  use_linker, ///< -fuse-ld=
  keyword,    ///< -z
  unresolved, ///< --unresolved-symbols
};

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

struct Position {
  bool shared = true;
  bool whole_archive = false;
  bool lazy = false;
  bool data = false; ///< what follows is put into the output byte by byte
};

std::string_view bare(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word;
}

class Reader {
public:
  LinkWords read(std::span<const std::string> words) {
    if (!words.empty())
      result_.program = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.size() < 2 || word[0] != '-') {
        if (word == "(" || word == ")")
          group(word == "(");
        else if (word != "-")
          add(word, false);
      } else if (!place(bare(word)) && !toggle(bare(word))) {
        i += option(word, i + 1 < words.size() ? &words[i + 1] : nullptr);
      }
    }
    // A sysroot holds for all -L, wherever it stands.
    for (std::string& directory : result_.directories)
      for (const std::string_view mark : {"=", "$SYSROOT"})
        if (directory.starts_with(mark))
          directory.replace(0, mark.size(), result_.sysroot);
    return std::move(result_);
  }

private:
  void add(std::string_view name, bool library) {
    result_.inputs.push_back({std::string(name), library, here_.shared, here_.whole_archive, group_, false,
                              false, here_.lazy, false, here_.data});
  }

  void group(bool begins) { group_ = begins ? ++groups_ : 0; }

  /// Switches that hold for the inputs behind them.
  bool place(std::string_view word) {
    if (word == "Bstatic" || word == "dn" || word == "non_shared" || word == "static")
      here_.shared = false;
    else if (word == "Bdynamic" || word == "dy" || word == "call_shared")
      here_.shared = true;
    else if (word == "whole-archive" || word == "no-whole-archive")
      here_.whole_archive = word == "whole-archive";
    else if (word == "start-lib" || word == "end-lib")
      here_.lazy = word == "start-lib";
    else if (word == "start-group" || word == "(" || word == "end-group" || word == ")")
      group(word == "start-group" || word == "(");
    else if (word == "push-state")
      saved_.push_back(here_);
    else if (word == "pop-state" && !saved_.empty())
      here_ = saved_.back(), saved_.pop_back();
    else
      return false;
    return true;
  }

  bool toggle(std::string_view word) {
    for (const Switch& row : switches)
      if (row.name == word) {
        result_.*row.member = true;
        return true;
      }
    if (undefined_by(undefined_options, word))
      return true;
    if (word == "no-fat-lto-objects")
      result_.fat_bitcode = false;
    else if (word == "lto" && result_.program.ends_with("nvlink")) // elsewhere it is a library named to
      result_.device_lto = true;
    else
      return false;
    return true;
  }

  template <typename Table>
  bool undefined_by(const Table& table, std::string_view word) {
    const auto* const row =
        std::find_if(table.begin(), table.end(), [&](const UndefinedWord& one) { return one.name == word; });
    if (row == table.end())
      return false;
    result_.undefined = row->meaning;
    return true;
  }

  /// Returns how many words were taken besides.
  std::size_t option(std::string_view word, const std::string* next) {
    const std::string_view name = bare(word);
    for (const Valued& row : valued) {
      if (name == row.name) {
        if (next != nullptr)
          take(row.meaning, *next);
        return next != nullptr ? 1 : 0;
      }
      if (!name.starts_with(row.name))
        continue;
      const bool equals = name[row.name.size()] == '=';
      if (equals && !row.joined)
        return take(row.meaning, name.substr(row.name.size() + 1)), 0;
      if (row.joined && !word.starts_with("--"))
        return take(row.meaning, name.substr(row.name.size())), 0;
    }
    return 0;
  }

  void take(Meaning meaning, std::string_view value) {
    switch (meaning) {
    case Meaning::directory:
      result_.directories.emplace_back(value);
      break;
    case Meaning::library:
      add(value, true);
      break;
    case Meaning::input:
      add(value, false);
      result_.inputs.back().script = true;
      break;
    case Meaning::format:
      here_.data = value == "binary";
      break;
    case Meaning::symbols:
    case Meaning::run_path:
      add(value, false);
      result_.inputs.back().symbols = true;
      result_.inputs.back().run_path = meaning == Meaning::run_path;
      break;
    case Meaning::sysroot:
      result_.sysroot = value == "/" ? std::string_view() : value;
      break;
    case Meaning::emulation:
      result_.emulation = value;
      break;
    case Meaning::plugin:
      result_.plugins.emplace_back(value);
      break;
    case Meaning::plugin_option:
      if (value.ends_with("/lto-wrapper"))
        result_.lto_wrapper = value;
      break;
    case Meaning::wanted:
      result_.wanted.emplace_back(value);
      break;
    case Meaning::wrap:
      result_.wraps.emplace_back(value);
      break;
    case Meaning::definition:
      define(value);
      break;
    case Meaning::renames:
      result_.renames = true;
      break;
    case Meaning::use_linker:
      result_.use_linker = value;
      break;
    case Meaning::keyword:
      undefined_by(undefined_keywords, value);
      break;
    case Meaning::unresolved:
      undefined_by(undefined_methods, value);
      break;
    case Meaning::value:
      break;
    }
  }

  /// NAME=EXPRESSION, which asks for the names in it. What functions do with theirs is left open.
  void define(std::string_view text) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$@";
    const std::size_t equals = std::min(text.find('='), text.size());
    result_.defined.emplace_back(text.substr(0, equals));
    text.remove_prefix(equals);
    while (!text.empty()) {
      text.remove_prefix(std::min(text.find_first_of(letters), text.size()));
      const std::string_view name = text.substr(0, text.find_first_not_of(letters));
      text.remove_prefix(name.size());
      if (text.starts_with('(') || text.starts_with('"'))
        result_.renames = true;
      else if (!name.empty() && name != "." && (name.front() < '0' || name.front() > '9'))
        result_.wanted.emplace_back(name);
    }
  }

  LinkWords result_;
  Position here_;
  std::vector<Position> saved_;
  std::size_t group_ = 0;
  std::size_t groups_ = 0;
};

} // namespace

LinkWords link_words(std::span<const std::string> words) {
  return Reader().read(words);
}

} // namespace hostpin
