// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/additions.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/cmdline/linker_options.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/compiler/shown.hpp"
#include "toolchains/library/link_search.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

using Words = std::vector<std::string>;
/// An option with its value, or an input.
using Tokens = std::vector<Words>;

// Both stand for the user's arguments. A wrapper may add nothing to a call without an input.
constexpr const char* macro = "hostpin_here";
constexpr const char* option = "--hostpin-here";
constexpr const char* input = "hostpin-input.o";

void add(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// GCC prints the name that its driver was called by, Clang only its directory.
std::string driver_of(const Lines& lines, Family family, const Files& files) {
  const bool gcc = family == Family::gcc;
  const Words found = lines_after(lines, gcc ? "COLLECT_GCC=" : "InstalledDir: ");
  if (found.empty() || gcc)
    return found.empty() ? std::string() : found.front();
  const std::string path = found.front() + "/clang++";
  return files.status(path) ? path : std::string();
}

bool is_wrapper(const Words& command, const std::string& below, Family family, const Files& files) {
  const std::string called = cmdline::driver_words(command).back();
  if (below.empty() || below == called)
    return false;
  const auto directory = [&](const std::string& path) {
    return directory_of(files.real_path(path).value_or(path));
  };
  return family == Family::gcc || directory(called) != directory(below);
}

/// The command with the driver below it in place of the wrapper.
Words below_command(const Words& command, const std::string& below) {
  Words words{below};
  const auto after = static_cast<std::ptrdiff_t>(cmdline::driver_words(command).size());
  words.insert(words.end(), command.begin() + after, command.end());
  return words;
}

Outcome ask(Words command, std::initializer_list<const char*> question, const Processes& processes) {
  command.insert(command.end(), question.begin(), question.end());
  Command call{std::move(command), "", variables_that_write_files()};
  call.own_temporary = true; // -### of GCC creates its temporary files
  return run_shown({&call, 1}, processes).front();
}

/// Longest common subsequence: the tokens of `more` that are not in it.
std::vector<bool> extra(const Tokens& more, const Tokens& less) {
  std::vector<std::vector<std::size_t>> longest(more.size() + 1, std::vector<std::size_t>(less.size() + 1));
  for (std::size_t i = more.size(); i-- > 0;)
    for (std::size_t j = less.size(); j-- > 0;)
      longest[i][j] =
          more[i] == less[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
  std::vector<bool> result(more.size(), true);
  for (std::size_t i = 0, j = 0; i < more.size() && j < less.size();)
    if (more[i] == less[j]) {
      result[i++] = false;
      ++j;
    } else if (longest[i + 1][j] >= longest[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  return result;
}

/// The tokens that only `more` has, before and after the one that stands for the user's arguments.
std::pair<Tokens, Tokens> added(const Tokens& more, const Tokens& less, std::string_view user) {
  std::pair<Tokens, Tokens> result;
  bool after = false;
  const std::vector<bool> is_extra = extra(more, less);
  for (std::size_t i = 0; i < more.size(); ++i) {
    after = after || more[i].back() == user;
    if (is_extra[i])
      (after ? result.second : result.first).push_back(more[i]);
  }
  return result;
}

Tokens driver_tokens(const Words& words) {
  Tokens tokens;
  for (std::size_t i = 0; i < words.size();) {
    const std::size_t size = cmdline::driver_argument(words, i).size;
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
    tokens.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    i += size;
  }
  return tokens;
}

Tokens linker_tokens(const Words& words) {
  Tokens tokens;
  for (std::size_t i = 1; i < words.size(); ++i) {
    tokens.push_back({words[i]});
    if (cmdline::linker_argument(words[i]).takes_next() && i + 1 < words.size())
      tokens.back().push_back(words[++i]);
  }
  return tokens;
}

/// The options of a GCC driver, or of Clang's front end, which has those of the preprocessor. Inputs and what
/// is for the linker only are not among them.
Tokens shown_options(const Lines& lines, Family family) {
  if (family == Family::gcc) {
    const Words found = lines_after(lines, "COLLECT_GCC_OPTIONS=");
    return found.empty() ? Tokens() : driver_tokens(cmdline::command_words(found.front()).value_or(Words()));
  }
  for (const std::string_view line : lines)
    if (line.find("\" -cc1 ") != std::string_view::npos)
      return driver_tokens(cmdline::command_words(line).value_or(Words()));
  return {};
}

std::string_view value_of(const Words& token) {
  return token.size() > 1 ? std::string_view(token.back()) : cmdline::driver_argument(token, 0).value;
}

std::string_view spelling_of(const Words& token) {
  const cmdline::DriverOption* const row = cmdline::find_driver_option(token.front());
  return row == nullptr ? std::string_view(token.front()) : row->spelling;
}

template <typename Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_any(const std::string& directory, std::initializer_list<const char*> names, const Files& files) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return files.status(directory + '/' + name).has_value(); });
}

bool has_basic_library(const std::string& directory, const Files& files) {
  return has_any(directory, {"libstdc++.so.6", "libstdc++.so", "libc.so.6", "libc.so"}, files);
}

bool is_for_links(const Words& token) {
  constexpr auto names = std::to_array<std::string_view>({"-L",
                                                          "-T",
                                                          "-nodefaultlibs",
                                                          "-nolibc",
                                                          "-nostartfiles",
                                                          "-nostdlib",
                                                          "-nostdlib++",
                                                          "-no-pie",
                                                          "-pie",
                                                          "-pthread",
                                                          "-r",
                                                          "-rdynamic",
                                                          "-s",
                                                          "-shared",
                                                          "-static",
                                                          "-static-libgcc",
                                                          "-static-libstdc++",
                                                          "-static-pie",
                                                          "-u",
                                                          "-z"});
  return holds(names, spelling_of(token)) || token.front().starts_with("-fuse-ld=");
}

/// Whether links get an option, because it means the same to another release of the compiler.
bool concerns_links(const Words& token) {
  using Meaning = cmdline::DriverMeaning;
  const cmdline::DriverOption* const row = cmdline::find_driver_option(token.front());
  return is_for_links(token) ||
         (row != nullptr && row->toggle != cmdline::DriverSwitch::lto &&
          (row->meaning == Meaning::runtime_on || row->meaning == Meaning::runtime_off ||
           row->meaning == Meaning::sanitize_on || row->meaning == Meaning::sanitize_off));
}

/// Options that lead a driver to its own parts.
bool locates_toolchain(const Words& token) {
  constexpr auto names =
      std::to_array<std::string_view>({"-B", "--sysroot", "--sysroot=", "-isysroot", "-specs",
                                       "-specs=", "--gcc-toolchain=", "--gcc-install-dir="});
  return holds(names, spelling_of(token)) || token.front().starts_with("-specs=") ||
         token.front().starts_with("--gcc-");
}

/// The driver's spelling of arguments for the linker.
Words for_linker(const Words& token) {
  if (token.size() == 1 && (!token.front().starts_with('-') || token.front().starts_with("-l")))
    return token;
  std::string joined = "-Wl";
  Words separate;
  for (const std::string& word : token) {
    joined += ',' + word;
    add(separate, {"-Xlinker", word});
  }
  return std::count(joined.begin(), joined.end(), ',') == static_cast<std::ptrdiff_t>(token.size())
             ? Words{joined}
             : separate;
}

/// -B of a directory that has a linker and no part of a compiler, as Nixpkgs' scripts pass it.
bool leads_to_linker(const Words& token, const Files& files) {
  std::string directory(value_of(token));
  while (directory.ends_with('/'))
    directory.pop_back();
  return spelling_of(token) == "-B" && has_any(directory, {"ld"}, files) &&
         !has_any(directory, {"cc1plus", "collect2", "crt1.o", "crtbegin.o"}, files);
}

void take_options(const Tokens& tokens, const Files& files, Words& to, Additions& result) {
  for (const Words& token : tokens) {
    if (leads_to_linker(token, files))
      add(result.linker, token);
    else if (locates_toolchain(token))
      add(result.withheld, token);
    else if (spelling_of(token) == "-L" && has_basic_library(std::string(value_of(token)), files))
      add(to, for_linker({"-L" + std::string(value_of(token))}));
    else if (concerns_links(token))
      add(to, token);
  }
}

void take_linker_words(const Tokens& tokens, const Files& files, Words& to, Words& withheld) {
  using Meaning = cmdline::LinkerMeaning;
  for (const Words& token : tokens) {
    const cmdline::LinkerArgument read = cmdline::linker_argument(token.front());
    const Meaning meaning = read.option == nullptr ? Meaning::nothing : read.option->meaning;
    const std::string value(token.size() > 1 ? std::string_view(token.back())
                                             : read.value.value_or(std::string_view()));
    const std::vector<std::string> paths = filled_parts(value, ":");
    if (meaning == Meaning::plugin || meaning == Meaning::plugin_option)
      continue;
    const bool own = meaning == Meaning::loader || meaning == Meaning::sysroot ||
                     (meaning == Meaning::run_paths &&
                      std::any_of(paths.begin(), paths.end(),
                                  [&](const std::string& path) { return has_basic_library(path, files); }));
    add(own ? withheld : to, for_linker(token));
  }
}

bool has_own_headers(const std::string& directory, const Files& files) {
  return has_any(directory,
                 {"bits/c++config.h", "cstddef", "backward_warning.h", "features.h", "stdlib.h", "stddef.h",
                  "gnu/stubs.h", "fpu_control.h"},
                 files);
}

/// The directories that a preprocessor lists as searched for headers.
Words searched(const Lines& lines) {
  Words directories;
  bool listed = false;
  for (const std::string_view line : lines) {
    if (line.starts_with("End of search list"))
      break;
    if (listed && line.starts_with(" /"))
      directories.emplace_back(line.substr(1));
    listed = listed || line.starts_with("#include ");
  }
  return directories;
}

class PreprocessorWords {
public:
  PreprocessorWords(Additions& additions, const Files& files) : additions_(additions), files_(files) {}

  void take(const Words& token, bool after) {
    constexpr auto directories = std::to_array<std::string_view>({"-I", "-isystem", "-iquote", "-idirafter"});
    const std::string_view spelling = spelling_of(token);
    const std::string value(value_of(token));
    if (spelling == "-D" || spelling == "-U") {
      additions_.before.push_back(std::string(spelling) + value);
    } else if (holds(directories, spelling) && !has_own_headers(value, files_)) {
      // `-I` after the user's: searched after all of the user's -I.
      directory(after && spelling == "-I" ? "-isystem" : std::string(spelling), value);
    } else if (!is_for_links(token) && !locates_toolchain(token)) {
      add(additions_.withheld, token);
    }
  }
  void directory(const std::string& kind, const std::string& path) {
    if (kind == "-I")
      additions_.before.push_back(kind + path);
    else
      add(additions_.before, {kind, path});
    named_.push_back(path);
  }
  /// Those that a variable such as CPATH names.
  void take_searched(const Words& directories, const Words& below) {
    for (const std::string& path : directories)
      if (!holds(below, path) && !holds(named_, path) && !holds(additions_.withheld, path) &&
          !has_own_headers(path, files_))
        directory("-isystem", path);
  }

private:
  Additions& additions_;
  const Files& files_;
  Words named_;
};

} // namespace

std::optional<Additions> added_to_links(const Compiler& compiler, const Files& files,
                                        const Processes& processes) {
  const std::string define = std::string("-D") + macro, here = std::string("-Wl,") + option;
  const auto show = [&](const Words& command) {
    return ask(command, {"-###", define.c_str(), input, here.c_str(), "-o", "hostpin-output"}, processes)
        .errors;
  };
  const std::string text = show(compiler.command);
  const Lines lines = lines_of(text);
  Additions result;
  result.below = driver_of(lines, compiler.family, files);
  const Words link = shown_linker_words(text);
  if (!is_wrapper(compiler.command, result.below, compiler.family, files) || link.empty())
    return std::nullopt;
  result.links_cxx = link_line(text).libraries == StandardLibraries::cxx;
  const Words below = below_command(compiler.command, result.below);
  std::string shown = show(below);
  std::pair<Tokens, Tokens> options;
  if (compiler.family == Family::gcc)
    options = added(shown_options(lines, Family::gcc), shown_options(lines_of(shown), Family::gcc), macro);
  if (!options.first.empty() || !options.second.empty()) {
    // What the linker gets because of these options is no addition.
    Words with = below;
    for (const Tokens* const tokens : {&options.first, &options.second})
      for (const Words& token : *tokens)
        add(with, token);
    shown = show(with);
  }
  const auto words = added(linker_tokens(link), linker_tokens(shown_linker_words(shown)), option);
  take_options(options.first, files, result.before, result);
  take_linker_words(words.first, files, result.before, result.withheld);
  take_options(options.second, files, result.after, result);
  take_linker_words(words.second, files, result.after, result.withheld);
  // A script for a compiler that was moved is no more than that compiler.
  if (result.before.empty() && result.after.empty() && result.linker.empty())
    result.withheld.clear();
  return result;
}

std::optional<Additions> added_to_compiles(const Compiler& compiler, const Files& files,
                                           const Processes& processes) {
  // Some scripts, such as Spack's, add nothing to a call with -v.
  const std::string define = std::string("-D") + macro;
  const auto show = [&](const Words& command) {
    return ask(command, {"-###", "-c", define.c_str(), "-x", "c++", "/dev/null"}, processes).errors;
  };
  const auto search = [&](const Words& command) {
    return searched(lines_of(ask(command, {"-E", "-Wp,-v", "-x", "c++", "/dev/null"}, processes).errors));
  };
  const std::string text = show(compiler.command);
  const Lines lines = lines_of(text);
  Additions result;
  result.below = driver_of(lines, compiler.family, files);
  if (!is_wrapper(compiler.command, result.below, compiler.family, files))
    return std::nullopt;
  const Words below = below_command(compiler.command, result.below);
  const std::string shown = show(below);
  const Lines shown_lines = lines_of(shown);
  const auto options =
      added(shown_options(lines, compiler.family), shown_options(shown_lines, compiler.family), macro);
  PreprocessorWords words(result, files);
  for (const Words& token : options.first)
    words.take(token, false);
  for (const Words& token : options.second)
    words.take(token, true);
  words.take_searched(search(compiler.command), search(below));
  return result;
}

} // namespace hostpin
