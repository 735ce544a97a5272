// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/headers/header_probe.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace hostpin {

namespace {

// The probe bounds its own processor time; on a busy machine the wall time can be many times as long.
constexpr std::chrono::seconds longest_answer{60};

constexpr const char* advice = "see `hostpin stdlib-probe --help`";

/// The probe's error message, the text after `hostpin: error: ` in its first line, and its hint.
Error error_of(const Outcome& outcome) {
  constexpr std::string_view prefix = "hostpin: error: ";
  constexpr std::string_view hint = "\nhint: ";
  if (outcome.end == Outcome::End::exited && outcome.errors.starts_with(prefix)) {
    const std::size_t at = outcome.errors.find(hint);
    const std::size_t end = at == std::string::npos ? outcome.errors.find_last_not_of('\n') + 1 : at;
    std::string fix = at == std::string::npos ? advice : outcome.errors.substr(at + hint.size());
    fix.erase(fix.find_last_not_of('\n') + 1);
    return {outcome.errors.substr(prefix.size(), end - prefix.size()), std::move(fix)};
  }
  return {"stdlib-probe did not answer: " + describe(outcome), advice};
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
