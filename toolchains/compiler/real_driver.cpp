// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/real_driver.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/driver_options.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>

namespace hostpin {

namespace {

struct Stem {
  std::string_view name;
  int rank;
};

constexpr int rank_with_version = 0;
constexpr int rank_with_target = 3;
constexpr int rank_of_wrapper = 5;

// `CC` is the C++ driver of a Cray and a C compiler elsewhere, so it is used only if the user names it.
constexpr std::array<Stem, 9> stems{{{"g++", 1},
                                     {"clang++", 1},
                                     {"c++", 2},
                                     {"icpx", 4},
                                     {"icpc", 4},
                                     {"nvc++", 4},
                                     {"mpicxx", rank_of_wrapper},
                                     {"mpic++", rank_of_wrapper},
                                     {"mpiCC", rank_of_wrapper}}};

/// A triple has a dash inside, unlike `afl-` or `ccache-`; Amazon Linux names its second compiler
/// `gcc10-g++`.
bool is_target(std::string_view prefix) {
  if (prefix.starts_with("gcc"))
    return parse_version(prefix.substr(3)).has_value();
  return prefix.find('-') != std::string_view::npos && prefix.front() != '-';
}

} // namespace

std::optional<DriverName> driver_name(std::string_view name) {
  DriverName result;
  if (const std::size_t dash = name.rfind('-'); dash != std::string_view::npos) {
    if (const auto version = parse_version(name.substr(dash + 1))) {
      result.version = *version;
      name = name.substr(0, dash);
    }
  }
  for (const Stem& stem : stems) {
    if (!name.ends_with(stem.name))
      continue;
    const std::string_view prefix = name.substr(0, name.size() - stem.name.size());
    const bool prefixed =
        prefix.size() > 1 && prefix.back() == '-' && is_target(prefix.substr(0, prefix.size() - 1));
    if (!prefix.empty() && !prefixed)
      continue;
    result.target = prefixed ? prefix.substr(0, prefix.size() - 1) : prefix;
    result.stem = static_cast<int>(&stem - stems.data());
    result.rank = prefixed ? rank_with_target
                           : (result.version != Version{} && stem.rank == 1 ? rank_with_version : stem.rank);
    return result;
  }
  return std::nullopt;
}

bool comes_before(const DriverName& a, const DriverName& b) {
  return std::tie(a.rank, a.stem, b.version, a.target) < std::tie(b.rank, b.stem, a.version, b.target);
}

namespace {

constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "@%_-+=:,./";

bool is_plain(std::string_view word) {
  return !word.empty() && word.find_first_not_of(plain) == std::string_view::npos;
}

/// An assignment to a variable that locates a driver's own programs. Any other could change the answer, or
/// its dependencies, unnoticed: LD_LIBRARY_PATH, LIBRARY_PATH, CPATH.
bool is_assignment(std::string_view word) {
  if (!word.starts_with("PATH=") && !word.starts_with("COMPILER_PATH="))
    return false;
  constexpr std::string_view rest = ":$PATH";
  if (word.starts_with("PATH=") && word.ends_with(rest))
    word.remove_suffix(rest.size());
  return is_plain(word);
}

} // namespace

std::optional<std::vector<std::string>> launched_by(std::string_view script) {
  std::vector<std::string> lines = filled_parts(script, "\n");
  if (lines.empty() || lines.front() != "#!/bin/sh") // bash called by its own name reads $BASH_ENV first
    return std::nullopt;
  std::erase_if(lines, [](std::string_view line) { return line.starts_with('#'); });
  if (lines.size() != 1)
    return std::nullopt;
  const std::vector<std::string> words = filled_parts(lines.front(), " ");
  auto word = std::find_if_not(words.begin(), words.end(), is_assignment);
  if (words.size() < 3 || word == words.end() || *word != "exec" || words.back() != "\"$@\"")
    return std::nullopt;
  const std::vector<std::string> command(word + 1, words.end() - 1);
  if (command.empty() || !command.front().starts_with('/') ||
      !std::all_of(command.begin(), command.end(), is_plain))
    return std::nullopt;
  return command;
}

namespace {

/// The first argument that may mean something else in another place or at another time; empty when there is
/// none. Refused as well: response, specs and configuration files, -fplugin and -imacros, whose files do not
/// show in the output; -march=native; prefix maps, which may change the name of the file.
std::string_view changing_argument(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size();) {
    const cmdline::DriverArgument read = cmdline::driver_argument(arguments, i);
    const cmdline::DriverOption* const option = read.option;
    const bool complete =
        option != nullptr && (option->value == cmdline::DriverValue::none || !read.value.empty());
    if (!complete || !option->is(cmdline::driver_use::constant) ||
        (option->is(cmdline::driver_use::path) && !read.value.starts_with('/')))
      return arguments[i];
    i += read.size;
  }
  return {};
}

constexpr std::size_t longest_script = 4096;

/// The first bytes of a file, which may be a program of any size; empty when it cannot be read.
std::string head(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  std::string text(file ? longest_script : 0, '\0');
  if (file)
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

bool is_driver(std::string_view name) {
  return name.starts_with("clang") || driver_name(name).has_value();
}

/// The chain of programs that the first word of a command leads to by plain scripts, each with its arguments;
/// the last one is not a script. The error is why that cannot be determined.
Result<std::vector<std::vector<std::string>>> programs_of(const std::vector<std::string>& command,
                                                          const Files& files) {
  constexpr std::string_view elf = "\177ELF";
  constexpr std::size_t longest_row = 4;
  std::vector<std::vector<std::string>> row = {command};
  for (;;) {
    const std::string& program = row.back().front();
    const auto real = files.real_path(program);
    if (!real)
      return failure(program + " does not exist");
    const std::string start = head(*real);
    if (start.starts_with(elf))
      return row;
    auto behind = start.size() < longest_script ? launched_by(start) : std::nullopt;
    if (!behind)
      return failure(program + " is a script that may answer differently each time");
    if (row.size() == longest_row)
      return failure(command.front() + " is a long chain of scripts");
    row.push_back(*std::move(behind));
  }
}

} // namespace

bool is_wrapper(const std::string& program, const Files& files) {
  const auto name = driver_name(base_name(program));
  return (name && name->rank == rank_of_wrapper) ||
         !is_driver(base_name(files.real_path(program).value_or(program)));
}

Result<RealDriver> real_driver(const std::vector<std::string>& command, const Files& files) {
  TRY_ASSIGN(const auto row, programs_of(command, files));
  RealDriver driver;
  for (const std::vector<std::string>& words : row) {
    if (const std::string_view other = changing_argument(std::span(words).subspan(1)); !other.empty())
      return failure("its argument " + std::string(other) + " may change the answer");
    driver.files.push_back(words.front());
  }
  driver.program = driver.files.back();
  const std::string real = files.real_path(driver.program).value_or(driver.program);
  if (!is_driver(base_name(real)))
    return failure(driver.program + " is " + real + ", which chooses a compiler when it runs");
  return driver;
}

} // namespace hostpin
