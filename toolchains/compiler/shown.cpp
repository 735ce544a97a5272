// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/shown.hpp"

#include "toolchains/base/environment.hpp"
#include "toolchains/base/scratch.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>

namespace hostpin {

namespace {

// A driver quotes the name, as it contains a `.`; without -save-temps it is in TMPDIR.
constexpr std::string_view response = " \"@";

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;)
    text.erase(at, part.size());
  return text;
}

/// The text with the arguments in the files of that directory in place of their names.
std::string with_contents(std::string text, const std::string& directory) {
  const std::string start = std::string(response) + directory;
  for (std::size_t at = 0; (at = text.find(start, at)) != std::string::npos;) {
    const std::size_t name = at + response.size();
    const std::size_t end = text.find('"', name);
    if (end == std::string::npos)
      break;
    std::ifstream file(text.substr(name, end - name), std::ios::binary);
    std::string arguments((std::istreambuf_iterator<char>(file)), {});
    std::replace(arguments.begin(), arguments.end(), '\n',
                 ' '); // one each line, with `\` before special characters
    text.replace(at + 1, end - at, arguments);
    at += 1 + arguments.size();
  }
  return text;
}

} // namespace

std::vector<Outcome> run_shown(std::span<const Command> questions, const Processes& processes) {
  std::vector<Outcome> outcomes = processes.run(questions);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].ok() || outcomes[i].errors.find(response) == std::string::npos)
      continue;
    const auto kept = ScratchDirectory::make(Environment::from(::environ));
    if (!kept)
      continue;
    Command again = questions[i];
    const std::string directory = kept->path() + '/';
    again.argv.insert(again.argv.end(), {"-save-temps", "-dumpdir", directory});
    Outcome outcome = processes.run({&again, 1}).front();
    if (!outcome.ok())
      continue;
    outcome.errors = with_contents(std::move(outcome.errors), directory);
    for (const std::string& own : {std::string("'-save-temps' "), "'-dumpdir' '" + directory + "'"})
      outcome.errors = without(std::move(outcome.errors), own);
    outcomes[i] = std::move(outcome);
  }
  return outcomes;
}

} // namespace hostpin
