// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/launchers.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/tokens.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace hostpin::cmdline {

namespace {

/// A program that starts another one, such as ccache.
struct Launcher {
  std::string_view name;
  std::string_view valued; ///< its options whose value is the next argument, each between spaces
  std::size_t operands;    ///< arguments before the command; setarch's only if no option comes first
  bool assigns;            ///< takes NAME=VALUE before the command
};

// From the manuals of coreutils 9.7, util-linux 2.41, numactl 2.0.19, GNU time 1.9 and ccache 4.14.
constexpr auto launchers = std::to_array<Launcher>({
    {"ccache", "", 0, true},
    {"buildcache", "", 0, false},
    {"gomacc", "", 0, false},
    {"sccache", "", 0, false},
    {"distcc", "", 0, false},
    {"icecc", "", 0, false},
    {"env", " -u --unset -C --chdir -a --argv0 ", 0, true},
    {"nice", " -n --adjustment ", 0, false},
    {"timeout", " -k --kill-after -s --signal ", 1, false},
    {"time", " -f --format -o --output ", 0, false},
    {"nohup", "", 0, false},
    {"setsid", "", 0, false},
    {"ionice", " -c --class -n --classdata ", 0, false},
    {"chrt", " -T -P -D ", 1, false},
    {"taskset", "", 1, false},
    {"stdbuf", " -i --input -o --output -e --error ", 0, false},
    {"prlimit", " -o --output ", 0, false}, // values of limits are attached to the option
    {"numactl",
     " -i --interleave -w --weighted-interleave -p --preferred -P --preferred-many -m --membind -N "
     "--cpunodebind "
     "-C --physcpubind ",
     0, false},
    {"setarch", "", 1, false},
    {"linux64", "", 0, false},
    {"linux32", "", 0, false},
});

const Launcher* launcher_of(std::string_view program) {
  const auto* const found = std::find_if(launchers.begin(), launchers.end(),
                                         [&](const Launcher& row) { return row.name == base_name(program); });
  return found == launchers.end() ? nullptr : found;
}

bool takes_next(const Launcher& launcher, const std::string& word) {
  return launcher.valued.find(' ' + word + ' ') != std::string_view::npos;
}

/// The index of the first argument after those of the launcher at `at`.
std::size_t index_after(const Launcher& launcher, std::span<const std::string> command, std::size_t at) {
  std::size_t operands = launcher.operands;
  if (launcher.name == "setarch" && at + 1 < command.size() && command[at + 1].starts_with('-'))
    operands = 0;
  for (++at; at < command.size(); ++at) {
    const std::string& word = command[at];
    if (word.size() > 1 && word.front() == '-') {
      at += takes_next(launcher, word) ? 1 : 0;
    } else if (!launcher.assigns || word.find('=') == std::string::npos) {
      if (operands == 0)
        break;
      --operands;
    }
  }
  return at;
}

std::vector<std::string> first(const std::vector<std::string>& command, std::size_t count) {
  return {command.begin(), command.begin() + static_cast<std::ptrdiff_t>(std::min(count, command.size()))};
}

/// An argument of env: other options, and after -S or --split-string the beginning of a text.
struct SplitOption {
  std::string others;
  std::optional<std::string> text; ///< nothing: it is the next argument
};

std::optional<SplitOption> split_option(const std::string& word) {
  constexpr std::string_view long_name = "--split-string";
  if (word == long_name)
    return SplitOption{};
  if (word.starts_with(long_name) && word[long_name.size()] == '=')
    return SplitOption{{}, word.substr(long_name.size() + 1)};
  const std::size_t others = word.find_first_not_of("iv0", 1); // these take no value
  if (word.size() < 2 || word.front() != '-' || others == std::string::npos || word[others] != 'S')
    return std::nullopt;
  return SplitOption{others > 1 ? word.substr(0, others) : std::string(),
                     others + 1 < word.size() ? std::optional(word.substr(others + 1)) : std::nullopt};
}

/// Replaces each ${NAME} by the variable's value.
void expand(std::string& word, const Environment& environment) {
  for (std::size_t at = 0; (at = word.find("${", at)) != std::string::npos;) {
    const std::size_t end = word.find('}', at);
    if (end == std::string::npos)
      return;
    const std::string value = environment[word.substr(at + 2, end - at - 2)].value_or("");
    word.replace(at, end + 1 - at, value);
    at += value.size();
  }
}

/// Replaces the argument at `at` by the parts of its text, if it has one.
bool split_at(std::vector<std::string>& command, std::size_t at, const Environment& environment) {
  const auto option = split_option(command[at]);
  const bool next = option && !option->text;
  if (!option || (next && at + 1 == command.size()))
    return false;
  auto words = command_words(next ? command[at + 1] : *option->text);
  if (!words)
    return false;
  for (std::string& word : *words)
    expand(word, environment);
  if (!option->others.empty())
    words->insert(words->begin(), option->others);
  const auto place = command.begin() + static_cast<std::ptrdiff_t>(at);
  command.insert(command.erase(place, place + (next ? 2 : 1)), words->begin(), words->end());
  return true;
}

} // namespace

std::vector<std::string> with_split_words(std::vector<std::string> command, const Environment& environment) {
  std::size_t at = 0;
  while (at < command.size()) {
    const Launcher* const launcher = launcher_of(command[at]);
    if (launcher == nullptr)
      break;
    if (launcher->name == "env")
      for (std::size_t i = at + 1; i < command.size() && command[i].starts_with('-');)
        if (!split_at(command, i, environment))
          i += takes_next(*launcher, command[i]) ? 2 : 1;
    at = index_after(*launcher, command, at);
  }
  return command;
}

std::size_t driver_position(std::span<const std::string> command) {
  std::size_t at = 0;
  while (at < command.size()) {
    const Launcher* const launcher = launcher_of(command[at]);
    if (launcher == nullptr)
      break;
    at = index_after(*launcher, command, at);
  }
  return at;
}

std::vector<std::string> driver_words(const std::vector<std::string>& command) {
  return first(command, driver_position(command) + 1);
}

std::vector<std::string> driver_words(const std::vector<std::string>& command, std::string_view reported) {
  const auto found = reported.empty() ? command.end() : std::find(command.begin(), command.end(), reported);
  return found == command.end() ? driver_words(command)
                                : first(command, static_cast<std::size_t>(found - command.begin()) + 1);
}

} // namespace hostpin::cmdline
