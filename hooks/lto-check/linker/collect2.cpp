// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/collect2.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/compiler/probe.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace hostpin::lto {

namespace {

constexpr const char* env = "/usr/bin/env";

// GCC starts collect2 by this shell, which prints the environment first. Its comma separates arguments.
constexpr const char* showing_environment = "/bin/sh,-c,/usr/bin/env -0; exec \"$0\" \"$@\"";

// The driver sets these for collect2, and the shell or this process the others, whatever a script does.
constexpr auto not_of_a_script = std::to_array<std::string_view>(
    {"COLLECT_GCC", "COLLECT_GCC_OPTIONS", "COLLECT_LTO_WRAPPER", "COMPILER_PATH", "GCC_EXEC_PREFIX",
     "HOSTPIN_LTO", "HOSTPIN_PROBING", "LANGUAGE", "LC_ALL", "LIBRARY_PATH", "OFFLOAD_TARGET_DEFAULT",
     "OFFLOAD_TARGET_NAMES", "OLDPWD", "PWD", "SHLVL", "TMPDIR", "_"});

bool is_of_a_script(std::string_view name) {
  return std::ranges::find(not_of_a_script, name) == not_of_a_script.end();
}

/// The question about a command: no inputs, and another output. `--version` makes collect2 print its linker's
/// command, and the linker do nothing else.
std::vector<std::string> without_inputs(const std::vector<std::string>& command, std::string_view reported) {
  std::vector<std::string> words = cmdline::driver_words(command, reported);
  for (std::size_t i = words.size(); i < command.size();) {
    const cmdline::DriverArgument read = cmdline::driver_argument(command, i);
    const bool output = read.option != nullptr && read.option->meaning == cmdline::DriverMeaning::output;
    if (!read.input && !output)
      words.insert(words.end(), command.begin() + static_cast<std::ptrdiff_t>(i),
                   command.begin() + static_cast<std::ptrdiff_t>(i + read.size));
    i += read.size;
  }
  for (const char* const more : {"-o", "hostpin-output", "-wrapper", showing_environment, "-Wl,--version"})
    words.emplace_back(more);
  return words;
}

/// Removes the environment from a text: each variable ends with a NUL.
Environment::Variables take_variables(std::string_view text) {
  Environment::Variables variables;
  for (std::size_t end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
    const std::string_view field = text.substr(0, end);
    if (const std::size_t equals = field.find('='); equals != std::string_view::npos)
      variables.emplace(field.substr(0, equals), field.substr(equals + 1));
    text.remove_prefix(end + 1);
  }
  return variables;
}

/// The linker in `/path/ld -plugin ...` or `/path/ld @file`, the line after collect2's version.
std::string shown_linker(std::string_view errors) {
  constexpr std::string_view version = "collect2 version ";
  std::size_t at = errors.find(version);
  if (at == std::string_view::npos || (at = errors.find('\n', at)) == std::string_view::npos)
    return {};
  const std::string_view line = errors.substr(at + 1, errors.find('\n', at + 1) - at - 1);
  // The first argument is an option, or a response file if the driver was given one.
  return line.starts_with('/') ? std::string(line.substr(0, std::min(line.find(" -"), line.find(" @"))))
                               : std::string();
}

LinkerRun read_run(const Outcome& outcome, const Environment& caller) {
  LinkerRun run;
  run.linker = shown_linker(outcome.errors);
  const Environment::Variables inside = take_variables(outcome.output);
  if (inside.empty())
    return run;
  for (const auto& [name, value] : inside) {
    const auto before = caller.variables().find(name);
    if (is_of_a_script(name) && (before == caller.variables().end() || before->second != value))
      run.set.push_back(name + '=' + value);
  }
  for (const auto& [name, value] : caller.variables())
    if (is_of_a_script(name) && !inside.contains(name))
      run.unset.push_back(name);
  return run;
}

// A cached answer: the linker, then `+NAME=value` and `-NAME`, each with a NUL.

std::string text_of(const LinkerRun& run) {
  std::string text = run.linker + '\0';
  for (const std::string& variable : run.set)
    text += '+' + variable + '\0';
  for (const std::string& name : run.unset)
    text += '-' + name + '\0';
  return text;
}

LinkerRun run_of_text(std::string_view text) {
  LinkerRun run;
  run.linker = text.substr(0, text.find('\0'));
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    if (text.starts_with('+'))
      run.set.emplace_back(text.substr(1, end - 1));
    else if (text.starts_with('-'))
      run.unset.emplace_back(text.substr(1, end - 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return run;
}

/// Other linkers may be put into the directories that the script searches.
std::vector<std::string> searched(const LinkerRun& run) {
  std::vector<std::string> directories;
  constexpr std::string_view path = "PATH=";
  for (const std::string& variable : run.set)
    if (variable.starts_with(path))
      directories = absolute_directories(std::string_view(variable).substr(path.size()));
  return directories;
}

} // namespace

LinkerRun run_of_collect2(const std::vector<std::string>& command, std::string_view shown,
                          const LinkTools& tools) {
  const auto reported = marked(shown, "COLLECT_GCC=");
  const std::vector<std::string> words =
      without_inputs(command, reported.empty() ? std::string_view() : reported.back());
  const auto program = executable(command.front(), tools.environment);
  if (!program)
    return {};
  const CachedQuestion question = driver_question("collect2", words, *program, tools);
  if (const auto known = question.answer())
    return run_of_text(*known);
  Command ask{words, "", variables_that_write_files()};
  ask.argv.front() = *program;
  ask.argv.insert(ask.argv.begin(), {env, "HOSTPIN_LTO=off"}); // hostpin's c++ would check this link
  ask.own_temporary = true;
  const Outcome outcome = tools.processes.run({&ask, 1}).front();
  LinkerRun run = read_run(outcome, tools.environment);
  if (run.linker.empty())
    return run;
  std::vector<std::string> files = driver_dependencies(command, *program, shown, tools);
  std::ranges::move(searched(run), std::back_inserter(files));
  files.push_back(run.linker);
  question.store(text_of(run), files);
  return run;
}

std::vector<Outcome> AsLinker::run(std::span<const Command> commands) const {
  std::vector<Command> inside(commands.begin(), commands.end());
  std::vector<std::string> changes{env};
  for (const std::string& name : run_.unset)
    changes.insert(changes.end(), {"-u", name});
  changes.insert(changes.end(), run_.set.begin(), run_.set.end());
  if (!run_.set.empty() || !run_.unset.empty())
    for (Command& command : inside)
      command.argv.insert(command.argv.begin(), changes.begin(), changes.end());
  return processes_.run(inside);
}

} // namespace hostpin::lto
