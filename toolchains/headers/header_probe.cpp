// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/headers/header_probe.hpp"

#include "toolchains/base/error_report.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace hostpin {

namespace {

// The probe bounds its own processor time; on a busy machine the wall time can be many times as long.
constexpr std::chrono::seconds longest_answer{60};

constexpr const char* advice = "see `hostpin stdlib-probe --help`";

Error error_of(const Outcome& outcome) {
  auto error = reported_error(outcome);
  if (outcome.end != Outcome::End::exited || !error)
    return {"stdlib-probe did not answer: " + describe(outcome), advice, kind_of(outcome)};
  if (error->hint.empty())
    error->hint = advice;
  return *std::move(error);
}

bool answered(const Outcome& outcome) {
  // 1 means that the answer is no.
  return outcome.end == Outcome::End::exited && (outcome.code == 0 || outcome.code == 1) &&
         !outcome.truncated && outcome.output.starts_with('{');
}

} // namespace

std::vector<Result<std::string>> ProgramHeaderProbe::ask(std::span<const ProbeCall> calls) const {
  const auto status = files_.status(program_);
  if (!status)
    return {calls.size(), failure(program_ + " is missing",
                                  "install hostpin again: cmake --install BUILD --prefix PREFIX")};

  // Another build of the probe may answer differently.
  const std::vector<std::string> identity = {program_, std::to_string(status->size),
                                             std::to_string(status->modified)};
  std::vector<Result<std::string>> answers(calls.size(), failure(""));
  std::vector<Command> commands;
  std::vector<std::size_t> asked;
  std::vector<std::vector<std::string>> questions;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::vector<std::string> question = identity;
    question.insert(question.end(), calls[i].begin(), calls[i].end());
    if (auto known = cache_.find(question)) {
      answers[i] = *std::move(known);
    } else {
      commands.emplace_back();
      commands.back().argv = {program_};
      commands.back().time = longest_answer;
      commands.back().errors_as_json = true;
      commands.back().argv.insert(commands.back().argv.end(), calls[i].begin(), calls[i].end());
      asked.push_back(i);
    }
    questions.push_back(std::move(question));
  }
  if (commands.empty())
    return answers;
  std::vector<Outcome> outcomes = processes_.run(commands);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!answered(outcomes[i])) {
      answers[asked[i]] = tl::unexpected(error_of(outcomes[i]));
      continue;
    }
    cache_.keep(questions[asked[i]], outcomes[i].output);
    answers[asked[i]] = std::move(outcomes[i].output);
  }
  return answers;
}

} // namespace hostpin
