// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/gate.hpp"

#include "toolchains/gate/diagnostics.hpp"
#include "toolchains/gate/question.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

/// What one run of the preprocessor says of each hypothesis, in the order of the question.
struct Answer {
  std::vector<std::string> refused; ///< where, such as `crt/host_config.h:143`; empty when let through
  std::vector<Trace> traced;
};

constexpr const char* advice = "the documented range is used alone; `hostpin doctor` shows it";

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

Command command_for(const Compiler& preprocessor, const Toolkit& toolkit, std::string input) {
  Command command;
  command.argv = preprocessor.command;
  for (const char* option : {"-E", "-dD", "-w", "-fmessage-length=0", "-Wno-fatal-errors"})
    command.argv.emplace_back(option);
  // Clang marks an #error only by quoting the source; GCC names it, and its quotes would only be in the way.
  if (preprocessor.family == Family::clang)
    command.argv.insert(command.argv.end(),
                        {"-fcaret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=0"});
  else
    command.argv.insert(command.argv.end(),
                        {"-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-fmax-errors=0"});
  // Behind the system's directories: a toolkit that lies in /usr/include must not bring the wrong C library
  // along.
  for (const std::string& directory : toolkit.include_directories)
    command.argv.insert(command.argv.end(), {"-idirafter", directory});
  command.argv.insert(command.argv.end(), {"-x", "c++", "-"});
  command.input = std::move(input);
  // The first two would write a file, the others change what is searched and printed.
  command.unset = {
      "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES",        "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
      "GCC_COLORS",          "GCC_EXTRA_DIAGNOSTIC_OUTPUT"};
  return command;
}

/// The last two parts of a path: `crt/host_config.h`.
std::string short_name(std::string_view path) {
  const std::size_t last = path.rfind('/');
  const std::size_t before = last == std::string_view::npos || last == 0 ? last : path.rfind('/', last - 1);
  return std::string(before == std::string_view::npos ? path : path.substr(before + 1));
}

Result<std::vector<std::string>> refusals(const std::string& errors, const std::string& header,
                                          const Question& question) {
  const std::string directory = header.substr(0, header.rfind('/') + 1);
  const std::vector<unsigned>& includes = question.include_lines;
  std::vector<std::string> refused(includes.size());
  for (const Diagnostic& diagnostic : diagnostics(errors)) {
    const auto include = std::lower_bound(includes.begin(), includes.end(), diagnostic.included_at);
    const bool ours = include != includes.end() && *include == diagnostic.included_at &&
                      diagnostic.file.compare(0, directory.size(), directory) == 0;
    if (!ours || !diagnostic.directive)
      return failure((diagnostic.file.empty() ? std::string("preprocessor")
                                              : diagnostic.file + ':' + std::to_string(diagnostic.line)) +
                     ": " + diagnostic.text);
    std::string& where = refused[static_cast<std::size_t>(include - includes.begin())];
    if (where.empty())
      where = short_name(diagnostic.file) + ':' + std::to_string(diagnostic.line);
  }
  return refused;
}

Result<Answer> answer(const Toolkit& toolkit, const Compiler& preprocessor, const Processes& processes,
                      const std::vector<Hypothesis>& cases, const std::vector<std::string>& forget) {
  const Result<Question> question = ask(toolkit.host_config, toolkit.version, cases, forget);
  if (!question)
    return tl::unexpected(question.error());
  const Command command = command_for(preprocessor, toolkit, question->text);
  const std::vector<Outcome> outcomes = processes.run({&command, 1});
  if (outcomes.size() != 1 || outcomes[0].end != Outcome::End::exited || outcomes[0].truncated)
    return failure(outcomes.size() != 1 ? "nothing was run" : describe(outcomes[0]));
  const Outcome& outcome = outcomes[0];

  Result<std::vector<std::string>> refused = refusals(outcome.errors, toolkit.host_config, *question);
  if (!refused)
    return tl::unexpected(refused.error());
  const bool failed =
      std::any_of(refused->begin(), refused->end(), [](const auto& where) { return !where.empty(); });
  if (failed != (outcome.code != 0))
    return failure(describe(outcome) +
                   (failed ? " in spite of errors" : " without an error that can be read: ") +
                   first_line(outcome.errors));
  Result<std::vector<Trace>> traced = traces(outcome.output, toolkit.host_config, cases.size());
  if (!traced)
    return tl::unexpected(traced.error());
  return Answer{*std::move(refused), *std::move(traced)};
}

/// Whether the header answered the last two questions as it did the first two, which are the same.
bool forgot(const Answer& answer) {
  const std::size_t end = answer.traced.size();
  for (std::size_t i = 0; i < sentinels; ++i) {
    const std::size_t last = end - sentinels + i;
    if (!answer.traced[last].entered || answer.traced[i] != answer.traced[last] ||
        answer.refused[i] != answer.refused[last])
      return false;
  }
  return true;
}

Result<Answer> fresh_answer(const Toolkit& toolkit, const Compiler& preprocessor, const Processes& processes,
                            const std::vector<Hypothesis>& cases) {
  // The guard of every release seen so far; under another name it is among what the first reading defines.
  std::vector<std::string> forget = {"__HOST_CONFIG_H__"};
  Result<Answer> first = answer(toolkit, preprocessor, processes, cases, forget);
  if (!first || forgot(*first))
    return first;
  for (std::size_t i = 0; i < sentinels; ++i)
    for (const std::string& name : first->traced[i].defined)
      if (std::find(forget.begin(), forget.end(), name) == forget.end())
        forget.push_back(name);
  Result<Answer> second = answer(toolkit, preprocessor, processes, cases, forget);
  if (second && !forgot(*second))
    return failure("the header answers only the first time it is included");
  return second;
}

/// The ends of what was let through. Where nothing was, everything asked about is above the bound.
Bounds bounds(const std::vector<Hypothesis>& cases, const Answer& answer, Family family) {
  std::optional<int> first;
  std::optional<int> last;
  std::optional<int> least;
  std::optional<int> greatest;
  for (std::size_t i = sentinels; i < cases.size() - sentinels; ++i) {
    if (cases[i].family != family)
      continue;
    first = first.value_or(cases[i].major);
    last = cases[i].major;
    if (!answer.refused[i].empty())
      continue;
    least = least.value_or(cases[i].major);
    greatest = cases[i].major;
  }
  Bounds result;
  if (!least)
    result.max = *first - 1;
  if (least && least != first)
    result.min = least;
  if (least && greatest != last)
    result.max = greatest;
  return result;
}

} // namespace

const Gate::Refusal* Gate::refusal(Family family, int major) const {
  const auto found = std::find_if(refusals.begin(), refusals.end(), [&](const Refusal& refusal) {
    return refusal.family == family && refusal.major == major;
  });
  return found == refusals.end() ? nullptr : &*found;
}

Result<Gate> evaluate_gate(const Toolkit& toolkit, const Compiler& preprocessor, const Processes& processes) {
  if (toolkit.host_config.empty())
    return failure("the toolkit at " + toolkit.root + " has no crt/host_config.h", advice);
  if (preprocessor.family == Family::other || preprocessor.command.empty())
    return failure("only GCC and Clang can evaluate crt/host_config.h", advice);
  const std::vector<Hypothesis> cases = hypotheses();
  const Result<Answer> found = fresh_answer(toolkit, preprocessor, processes, cases);
  if (!found)
    return failure(toolkit.host_config + " could not be evaluated with " + preprocessor.command[0] + ": " +
                       found.error().message,
                   found.error().hint.empty() ? advice : found.error().hint);
  Gate gate;
  gate.gcc = bounds(cases, *found, Family::gcc);
  gate.clang = bounds(cases, *found, Family::clang);
  for (std::size_t i = sentinels; i < cases.size() - sentinels; ++i)
    if (!found->refused[i].empty())
      gate.refusals.push_back({cases[i].family, cases[i].major, found->refused[i]});
  return gate;
}

} // namespace hostpin
