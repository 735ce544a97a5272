// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/driver_answer.hpp"

#include "hooks/lto-check/linker/memory.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/library/link_search.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace hostpin {

namespace {

// Variables that change which programs and libraries a compiler driver uses.
constexpr auto steering = std::to_array<std::string_view>(
    {"PATH", "COMPILER_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS", "NVCC_PREPEND_FLAGS",
     "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CUDAHOSTCXX", "SDKROOT"});

/// What options of a command and variables name: directories in which a driver looks for its linker, and
/// files with more options. A directory changes when a linker is put into it or taken out.
std::vector<std::string> named_places(const std::vector<std::string>& command, const LinkTools& tools) {
  std::vector<std::string> paths = filled_parts(tools.environment["COMPILER_PATH"].value_or(""), ":");
  if (const auto prefix = tools.environment["GCC_EXEC_PREFIX"])
    paths.push_back(*prefix);
  for (std::size_t i = 0; i < command.size(); ++i)
    for (const std::string_view option : {"-B", "-optf", "--options-file"}) {
      std::string_view word = command[i];
      if (!word.starts_with(option))
        continue;
      if (word == option)
        word = i + 1 < command.size() ? std::string_view(command[i + 1]) : std::string_view();
      else
        word.remove_prefix(option.size() + (word[option.size()] == '=' ? 1 : 0));
      paths.emplace_back(word);
      // -B takes a prefix of file names too.
      if (option == "-B" && !word.ends_with('/'))
        paths.emplace_back(word.substr(0, word.rfind('/') + 1));
    }
  std::erase(paths, "");
  return paths;
}

/// The dependencies of a cached answer: the compiler driver, what it runs, the directories in which it may
/// find other programs, and the files of options that it reports to read.
std::vector<std::string> dependencies(const std::vector<std::string>& command,
                                      const std::vector<std::string>& programs, std::string_view shown,
                                      const LinkTools& tools) {
  std::vector<std::string> paths = path_directories(tools.environment);
  std::ranges::move(named_places(command, tools), std::back_inserter(paths));
  for (const std::string& program : programs) {
    paths.push_back(program);
    paths.push_back(tools.files.real_path(program).value_or(program));
  }
  const std::string& program = programs.back();
  paths.push_back(program.substr(0, program.rfind('/') + 1) + "nvcc.profile");
  for (const std::string_view mark : {"COLLECT_GCC=", "COLLECT_LTO_WRAPPER=", "InstalledDir: "})
    for (const std::string_view line : marked(shown, mark))
      if (line.starts_with('/'))
        paths.emplace_back(line);
  for (const std::string_view mark : {"Reading specs from ", "Configuration file: "})
    for (const std::string_view line : marked(shown, mark))
      paths.emplace_back(line);
  const std::vector<std::string> words = shown_linker_words(shown);
  if (!words.empty())
    paths.push_back(words.front());
  return paths;
}

} // namespace

std::vector<std::string_view> marked(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.starts_with(mark))
      found.push_back(text.substr(mark.size(), end - std::min(end, mark.size())));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

Result<std::string> driver_answer(const std::vector<std::string>& command, const char* option,
                                  const LinkTools& tools) {
  const std::string name = cmdline::driver_words(command).back();
  const auto program = executable(command.front(), tools.environment);
  if (!program)
    return failure("there is no program " + command.front(), "check its name and PATH");
  std::vector<std::string> question{option, *program};
  question.insert(question.end(), command.begin(), command.end());
  question.push_back(tools.directory);
  for (const std::string_view variable : steering)
    question.push_back(tools.environment[variable].value_or(""));
  if (auto known = recall(tools, question))
    return *known;
  Command call{command, "", variables_that_write_files()};
  call.argv.front() = *program;
  call.argv.emplace_back(option);
  const Outcome outcome = tools.processes.run({&call, 1}).front();
  // Other options can make it print on either stream.
  std::string text = outcome.errors + outcome.output;
  if (!outcome.ok())
    return failure(
        name + " does not print what it would run (" + option + "): " +
            (outcome.end == Outcome::End::exited ? complaint(lines_of(outcome.errors)) : describe(outcome)),
        "run the command itself to see its errors");
  remember(
      tools, question, text,
      dependencies(command, {*program, executable(name, tools.environment).value_or(name)}, text, tools));
  return text;
}

} // namespace hostpin
