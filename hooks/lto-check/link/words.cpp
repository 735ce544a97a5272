// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/words.hpp"

#include "hooks/lto-check/link/options.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

using Meaning = LinkerOption::Meaning;

struct Position {
  bool shared = true;
  bool whole_archive = false;
  bool lazy = false;
  bool data = false; ///< what follows is put into the output byte by byte
};

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
      } else if (!place(option_name(word)) && !toggle(option_name(word))) {
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
    if (bool LinkWords::*const member = linker_switch(word))
      result_.*member = true;
    else if (const auto undefined = undefined_by_option(word))
      result_.undefined = *undefined;
    else if (word == "no-fat-lto-objects")
      result_.fat_bitcode = false;
    else if (word == "lto" && result_.program.ends_with("nvlink")) // elsewhere it is a library named to
      result_.device_lto = true;
    else
      return false;
    return true;
  }

  /// Returns how many words were taken besides.
  std::size_t option(std::string_view word, const std::string* next) {
    const auto known = linker_option(word);
    if (!known)
      return 0;
    if (known->value)
      return take(known->meaning, *known->value), 0;
    if (next != nullptr)
      take(known->meaning, *next);
    return next != nullptr ? 1 : 0;
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
      result_.undefined = undefined_by_keyword(value).value_or(result_.undefined);
      break;
    case Meaning::unresolved:
      result_.undefined = undefined_by_method(value).value_or(result_.undefined);
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
