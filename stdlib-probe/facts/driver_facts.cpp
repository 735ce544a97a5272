// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/driver_facts.hpp"

#include "stdlib-probe/facts/facts.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/compiler/shown.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace hostpin::probe {

namespace {

Command header_question(const DriverCandidate& candidate) {
  Command command = probe_command(candidate.command);
  command.unset = variables_that_write_files();
  command.argv.emplace_back("-H"); // prints each header it reads
  return command;
}

Command link_question(const DriverCandidate& candidate) {
  Command command{candidate.command, "", variables_that_write_files()};
  for (const char* const argument : {"-###", "-x", "c++", "/dev/null", "-o", "/dev/null"})
    command.argv.emplace_back(argument);
  command.own_temporary = true; // GCC creates its temporary files even with -###
  return command;
}

/// Paths that a driver prints, by the prefix of the line: headers it reads (`.. /usr/include/x.h` with -H),
/// directories it would search if they existed, its configuration and specs files.
void add_printed(std::string_view errors, std::vector<std::string>& paths) {
  constexpr auto prefixes = std::to_array<std::string_view>(
      {"ignoring nonexistent directory \"", "Configuration file: ", "System configuration file directory: ",
       "User configuration file directory: ", "Reading specs from "});
  for (const std::string_view line : lines_of(errors)) {
    const std::size_t dots = line.find_first_not_of('.');
    if (dots != std::string_view::npos && dots > 0 && line.substr(dots).starts_with(' '))
      paths.emplace_back(line.substr(dots + 1));
    for (const std::string_view prefix : prefixes)
      if (line.starts_with(prefix)) {
        const std::string_view path = line.substr(prefix.size());
        paths.emplace_back(path.substr(0, path.find('"')));
      }
  }
}

/// Files that the arguments of the command name in some way: `@response`, `-specs=file`, `-B` with a
/// directory.
void add_named(const Files& files, const std::vector<std::string>& command, std::vector<std::string>& paths) {
  constexpr std::size_t letter = 2; // of -B, -L, -I, -T
  for (const std::string& word : command) {
    const std::size_t equals = word.find('=');
    for (const std::size_t from :
         {std::size_t{0}, std::size_t{1}, letter, equals == std::string::npos ? std::size_t{0} : equals + 1})
      if (from < word.size() && files.status(word.substr(from)))
        paths.push_back(word.substr(from));
  }
}

/// Relative paths made absolute: the linker would run in the current directory.
cmdline::LinkerCommand absolute(const Files& files, cmdline::LinkerCommand command) {
  const std::string here = files.real_path(".").value_or("");
  for (std::string& directory : command.directories)
    if (!directory.starts_with('/'))
      directory = here + '/' + directory;
  for (cmdline::LinkerInput& input : command.inputs)
    if (!input.library && !input.name.starts_with('/'))
      input.name = here + '/' + input.name;
  return command;
}

void take_link(const Files& files, const Outcome& outcome, Facts& facts) {
  const std::vector<std::string> words = shown_linker_words(outcome.errors);
  if (!words.empty())
    return take_linked(files, absolute(files, cmdline::linker_command(words)), facts);
  const std::string text = complaint(lines_of(outcome.errors));
  const std::string reason = outcome.ok()
                                 ? "the compiler driver does not link with these flags"
                                 : "the compiler driver printed no link command: it " + describe(outcome) +
                                       (text.empty() ? std::string() : ": " + text);
  for (const char* const member : {"library", "c_library", "libgcc_s"})
    facts.unknown[member] = reason;
}

Result<Facts> facts_of(const Files& files, const DriverCandidate& candidate, const Outcome& headers,
                       const Outcome& link) {
  ProbeAnswer answer = read_answer(files, candidate, headers);
  if (const auto* const broken = std::get_if<BrokenCompiler>(&answer))
    return failure(candidate.command.front() + " cannot be used: " + broken->reason,
                   "name a C++ compiler that works, and flags that it knows");
  Facts facts;
  facts.compiler = std::get<Compiler>(std::move(answer));
  facts.dependencies = facts.compiler.files;
  add_printed(headers.errors, facts.dependencies);
  add_named(files, candidate.command, facts.dependencies);
  // A header, a specs file or another GCC may be installed where the driver would find it first.
  for (const std::string& directory : facts.compiler.include_directories)
    facts.dependencies.push_back(directory);
  for (const std::string& file : facts.compiler.files)
    facts.dependencies.push_back(file.substr(0, file.rfind('/')));
  if (const std::string& install = facts.compiler.gcc_install; !install.empty()) {
    facts.dependencies.push_back(install);
    facts.dependencies.push_back(install.substr(0, install.rfind('/')));
  }
  explain_headers(facts);
  take_link(files, link, facts);
  return facts;
}

} // namespace

std::vector<Result<Facts>> driver_facts(const Files& files, const Processes& processes,
                                        std::span<const DriverCandidate> candidates) {
  std::vector<Command> commands;
  for (const DriverCandidate& candidate : candidates) {
    commands.push_back(header_question(candidate));
    commands.push_back(link_question(candidate));
  }
  const std::vector<Outcome> outcomes = run_shown(commands, processes);
  std::vector<Result<Facts>> answers;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    answers.push_back(facts_of(files, candidates[i], outcomes[2 * i], outcomes[2 * i + 1]));
  return answers;
}

std::vector<std::string> asking_flags(std::span<const std::string> flags) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < flags.size();) {
    const cmdline::DriverArgument read = cmdline::driver_argument(flags, i);
    const auto words = flags.subspan(i, read.size);
    const bool standard_input = flags[i] == "-";
    if (!standard_input && (read.option == nullptr || !read.option->is(cmdline::driver_use::not_in_question)))
      kept.insert(kept.end(), words.begin(), words.end());
    i += read.size;
  }
  return kept;
}

} // namespace hostpin::probe
