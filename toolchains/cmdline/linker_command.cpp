// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/linker_command.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/linker_options.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin::cmdline {

namespace {

using Meaning = LinkerMeaning;

struct UndefinedWord {
  std::string_view name;
  Undefined meaning;
};
// Values of -z and of --unresolved-symbols in GNU ld and gold; the last one applies.
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
  bool data = false; ///< the following files are copied into the output
};

/// The path below the sysroot for a leading `=` or `$SYSROOT`.
std::optional<std::string> in_sysroot(std::string_view path, const std::string& sysroot) {
  for (const std::string_view mark : {"=", "$SYSROOT"})
    if (path.starts_with(mark))
      return std::string(sysroot).append(path.substr(mark.size()));
  return std::nullopt;
}

class Reader {
public:
  LinkerCommand read(std::span<const std::string> words) {
    if (!words.empty())
      result_.program = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      const LinkerArgument read = linker_argument(word);
      if (word.size() < 2 || word.front() != '-')
        take_input(word);
      else if (read.option == nullptr)
        continue;
      else if (!read.takes_next())
        take(read.option->meaning, read.value.value_or(""), word);
      else if (i + 1 < words.size())
        take(read.option->meaning, words[++i], word);
    }
    // A sysroot applies to all -L, whatever their order.
    for (std::string& directory : result_.directories)
      directory = in_sysroot(directory, result_.sysroot).value_or(directory);
    return std::move(result_);
  }

private:
  void take_input(std::string_view word) {
    if (word == "(" || word == ")")
      group(word == "(");
    else if (word != "-")
      add(word, false);
  }

  void add(std::string_view name, bool library) {
    result_.inputs.push_back({std::string(name), library, here_.shared, here_.whole_archive, group_, false,
                              false, here_.lazy, false, here_.data});
  }

  void group(bool begins) { group_ = begins ? ++groups_ : 0; }

  void take(Meaning meaning, std::string_view value, std::string_view word) {
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
    case Meaning::run_path_or_symbols:
      add(value, false);
      result_.inputs.back().symbols = true;
      result_.inputs.back().run_path = meaning == Meaning::run_path_or_symbols;
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
      undefined(undefined_keywords, value);
      break;
    case Meaning::unresolved:
      undefined(undefined_methods, value);
      break;
    case Meaning::run_paths:
      add_run_paths(value);
      break;
    case Meaning::loader:
      result_.loader = value;
      break;
    default:
      flip(meaning, word);
    }
  }

  /// Options without a value.
  void flip(Meaning meaning, std::string_view word) {
    switch (meaning) {
    case Meaning::archives_only:
    case Meaning::libraries_shared:
      here_.shared = meaning == Meaning::libraries_shared;
      break;
    case Meaning::whole_archive:
    case Meaning::no_whole_archive:
      here_.whole_archive = meaning == Meaning::whole_archive;
      break;
    case Meaning::start_lazy:
    case Meaning::end_lazy:
      here_.lazy = meaning == Meaning::start_lazy;
      break;
    case Meaning::start_group:
    case Meaning::end_group:
      group(meaning == Meaning::start_group);
      break;
    case Meaning::push_state:
      saved_.push_back(here_);
      break;
    case Meaning::pop_state:
      if (!saved_.empty())
        here_ = saved_.back(), saved_.pop_back();
      break;
    case Meaning::shared:
      result_.shared = true;
      break;
    case Meaning::relocatable:
      result_.relocatable = true;
      break;
    case Meaning::no_lto:
      result_.no_lto = true;
      break;
    case Meaning::fat_bitcode:
    case Meaning::no_fat_bitcode:
      result_.fat_bitcode = meaning == Meaning::fat_bitcode;
      break;
    case Meaning::no_own_directories:
      result_.no_own_directories = true;
      break;
    case Meaning::device_lto:
      result_.device_lto = true;
      break;
    case Meaning::device_lto_of_nvlink:
      if (result_.program.ends_with("nvlink"))
        result_.device_lto = true;
      else if (!word.starts_with("--"))
        add("to", true);
      break;
    case Meaning::undefined_fails:
      result_.undefined = Undefined::fails;
      break;
    case Meaning::undefined_passes:
      result_.undefined = Undefined::passes;
      break;
    case Meaning::undefined_by_output:
      result_.undefined = Undefined::by_output;
      break;
    default:
      break;
    }
  }

  template <typename Table>
  void undefined(const Table& table, std::string_view word) {
    for (const UndefinedWord& row : table)
      if (row.name == word)
        result_.undefined = row.meaning;
  }

  void add_run_paths(std::string_view list) {
    std::vector<std::string> paths = split(list, ":");
    if (paths.back().empty())
      paths.pop_back();
    result_.run_paths.insert(result_.run_paths.end(), paths.begin(), paths.end());
  }

  /// NAME=EXPRESSION, which refers to the names in it. Arguments of functions are not evaluated.
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

  LinkerCommand result_;
  Position here_;
  std::vector<Position> saved_;
  std::size_t group_ = 0;
  std::size_t groups_ = 0;
};

} // namespace

LinkerCommand linker_command(std::span<const std::string> words) {
  return Reader().read(words);
}

std::vector<std::string> file_names(const LinkerInput& input) {
  if (!input.library)
    return {input.name};
  if (input.name.starts_with(':'))
    return {input.name.substr(1)};
  const std::string stem = "lib" + input.name;
  return input.shared ? std::vector{stem + ".so", stem + ".a"} : std::vector{stem + ".a"};
}

std::string found_file(const std::vector<std::string>& directories, const std::vector<std::string>& names,
                       const Files& files, const std::function<bool(const std::string&)>& fits,
                       const std::function<void(const std::string&)>& looked) {
  for (const std::string& directory : directories) {
    if (looked)
      looked(directory);
    for (const std::string& name : names) {
      std::string path = directory;
      path.append("/").append(name);
      const auto status = files.status(path);
      if (status && status->kind != FileStatus::Kind::directory && fits(path))
        return path;
    }
  }
  return {};
}

std::string below_sysroot(const std::string& name, const std::string& script, const std::string& sysroot,
                          const Files& files) {
  if (auto marked = in_sysroot(name, sysroot))
    return *std::move(marked);
  const std::string root = files.real_path(sysroot).value_or(sysroot);
  const bool below =
      !root.empty() && root != "/" && files.real_path(script).value_or(script).starts_with(root + '/');
  return below && name.starts_with('/') ? root + name : name;
}

} // namespace hostpin::cmdline
