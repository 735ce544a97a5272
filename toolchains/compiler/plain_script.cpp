// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/plain_script.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>

namespace hostpin {

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

} // namespace hostpin
