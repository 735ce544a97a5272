// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/link_line.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/linker_command.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/library/link_search.hpp"

#include <string_view>
#include <utility>

namespace hostpin {

namespace {

/// `-lstdc++`, `-l:libc++.a`, `/usr/lib/libstdc++.so`: inputs that a C++ driver adds by itself, and a C
/// driver does not.
bool is_cxx_library(const cmdline::LinkerInput& input) {
  if (input.library && !input.name.starts_with(':'))
    return input.name == "stdc++" || input.name == "c++";
  const std::string name = cmdline::file_names(input).front();
  const std::string_view file = base_name(name);
  return file.starts_with("libstdc++.") || file.starts_with("libc++.");
}

/// An object other than a start file. Libraries before it need not resolve its symbols: with --as-needed,
/// which some drivers pass by default, and as archives, libraries resolve only symbols of earlier inputs.
bool is_object(const cmdline::LinkerInput& input) {
  return !input.library && input.name.ends_with(".o") &&
         base_name(input.name).find("crt") == std::string_view::npos;
}

LinkLine line_of(cmdline::LinkerCommand command) {
  bool c_library = false;
  bool cxx_library = false;
  for (const cmdline::LinkerInput& input : command.inputs) {
    c_library = c_library || (input.library && input.name == "c");
    cxx_library = (cxx_library || is_cxx_library(input)) && !is_object(input);
  }
  return {std::move(command.loader), std::move(command.sysroot), std::move(command.directories),
          std::move(command.run_paths),
          cxx_library ? StandardLibraries::cxx
          : c_library ? StandardLibraries::c
                      : StandardLibraries::none};
}

/// The commands in the output of `driver -###`.
std::vector<std::vector<std::string>> shown_commands(std::string_view text) {
  std::vector<std::vector<std::string>> commands;
  for (const std::string& line : filled_parts(text, "\n")) {
    // Commands are indented; other lines, such as COLLECT_GCC_OPTIONS, repeat options without being commands.
    auto words = line.starts_with(' ') ? cmdline::command_words(line) : Result<std::vector<std::string>>();
    if (words && !words->empty())
      commands.push_back(std::move(*words));
  }
  return commands;
}

/// GCC runs its linker through collect2; others are named ld, ld.lld, aarch64-linux-gnu-ld, gold, mold.
bool is_linker(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "collect2" || name.find("ld") != std::string_view::npos;
}

} // namespace

std::vector<std::string> shown_linker_words(std::string_view text) {
  std::vector<std::string> found;
  for (std::vector<std::string>& words : shown_commands(text))
    if (is_linker(words.front()))
      found = std::move(words);
  return found;
}

LinkLine link_line(std::string_view text) {
  LinkLine result;
  for (const std::vector<std::string>& words : shown_commands(text))
    if (LinkLine line = line_of(cmdline::linker_command(words)); !line.loader.empty())
      result = std::move(line);
  if (!result.loader.empty())
    return result;
  // Static programs and libraries name no loader; then the program's name shows that it links.
  const std::vector<std::string> words = shown_linker_words(text);
  return words.empty() ? result : line_of(cmdline::linker_command(words));
}

} // namespace hostpin
