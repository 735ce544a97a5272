// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/placeholder.hpp"

#include "toolchains/cmdline/driver_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace hostpin {

namespace {

// A name that no linker has as an option.
constexpr std::string_view mark = "--hostpin-inputs=";
constexpr auto suffixes = std::to_array<std::string_view>({".o", ".obj", ".lo", ".a", ".so"});
bool is_input(std::string_view word) {
  if (word.empty() || word.front() == '-')
    return false;
  return word.find(".so.") != std::string_view::npos ||
         std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return word.ends_with(suffix); });
}

} // namespace

Placeholders replace_inputs(const std::vector<std::string>& command) {
  Placeholders result;
  if (!command.empty())
    result.command.push_back(command.front());
  bool in_run = false;
  for (std::size_t i = 1; i < command.size();) {
    const std::string& word = command[i];
    const cmdline::DriverArgument read = cmdline::driver_argument(command, i);
    const cmdline::DriverMeaning meaning =
        read.option != nullptr ? read.option->meaning : cmdline::DriverMeaning::nothing;
    if (meaning == cmdline::DriverMeaning::language) // after it a suffix means nothing
      return {command, {}};
    if (!read.input || !is_input(word)) {
      result.command.push_back(word);
      // Where the output goes changes nothing, and would make every program's link another question.
      if (read.size == 2)
        result.command.push_back(meaning == cmdline::DriverMeaning::output ? "hostpin-output"
                                                                           : command[i + 1]);
    } else {
      if (!in_run) {
        result.command.push_back("-Wl," + std::string(mark) + std::to_string(result.inputs.size()));
        result.inputs.emplace_back();
      }
      result.inputs.back().push_back(word);
    }
    in_run = read.input && is_input(word);
    i += read.size;
  }
  return result;
}

std::vector<std::string> put_inputs_back(const std::vector<std::string>& words,
                                         const Placeholders& placeholders) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    std::size_t number = 0;
    const char* const end = word.data() + word.size();
    if (!word.starts_with(mark) || std::from_chars(word.data() + mark.size(), end, number).ptr != end ||
        number >= placeholders.inputs.size()) {
      result.push_back(word);
      continue;
    }
    const std::vector<std::string>& inputs = placeholders.inputs[number];
    result.insert(result.end(), inputs.begin(), inputs.end());
  }
  return result;
}

} // namespace hostpin
