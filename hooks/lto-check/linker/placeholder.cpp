// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/placeholder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace hostpin {

namespace {

// A name that no linker has as an option.
constexpr std::string_view mark = "--hostpin-inputs=";
constexpr auto suffixes = std::to_array<std::string_view>({".o", ".obj", ".lo", ".a", ".so"});
// Their values may look like an object.
constexpr auto with_value = std::to_array<std::string_view>({"-o",          "-MF",         "-MT",
                                                             "-MQ",         "-MJ",         "-T",
                                                             "-u",          "-e",          "-z",
                                                             "-Xlinker",    "-Xclang",     "-Xpreprocessor",
                                                             "-Xassembler", "-include",    "-imacros",
                                                             "-B",          "-L",          "-l",
                                                             "-I",          "-isystem",    "-iquote",
                                                             "-idirafter",  "-specs",      "--param",
                                                             "-dumpbase",   "-dumpdir",    "-dumpbase-ext",
                                                             "-wrapper",    "-framework",  "-arch",
                                                             "-target",     "-aux-info",   "-mllvm",
                                                             "-R",          "-plugin-arg", "--sysroot",
                                                             "-isysroot",   "-D",          "-U",
                                                             "-A",          "-G"});

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
  bool in_run = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    // Behind -x the suffix means nothing.
    if (word.starts_with("-x"))
      return {command, {}};
    const bool value = i > 0 && command[i - 1].starts_with('-') &&
                       std::find(with_value.begin(), with_value.end(), command[i - 1]) != with_value.end();
    if (i == 0 || value || !is_input(word)) {
      // Where the output goes changes nothing, and would make every program's link another question.
      const bool output = i > 1 && command[i - 1] == "-o";
      result.command.push_back(output ? "hostpin-output" : word);
      in_run = false;
      continue;
    }
    if (!in_run) {
      result.command.push_back("-Wl," + std::string(mark) + std::to_string(result.inputs.size()));
      result.inputs.emplace_back();
    }
    in_run = true;
    result.inputs.back().push_back(word);
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
