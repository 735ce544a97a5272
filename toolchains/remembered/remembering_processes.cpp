// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/remembered/remembering_processes.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/settled.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/headers/answer_cache.hpp"
#include "toolchains/remembered/kept_outcome.hpp"
#include "toolchains/remembered/toolkit_ground.hpp"

#include <algorithm>
#include <utility>

namespace hostpin {

namespace {

void add(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

} // namespace

/// True if nothing depends on the current directory, as an empty or relative entry of PATH would.
bool RememberingProcesses::is_steady() const {
  const std::string path = environment_["PATH"].value_or("/");
  for (std::size_t begin = 0; begin <= path.size(); begin = std::min(path.find(':', begin), path.size()) + 1)
    if (begin == path.size() || path[begin] != '/')
      return false;
  return true;
}

std::vector<std::string> RememberingProcesses::question(const Command& command) const {
  if (command.inquiry == Inquiry::none || command.argv.empty())
    return {};
  // A symlink may be redirected to another driver, which may act according to its own name.
  std::vector<std::string> words = {"program", files_.real_path(command.argv.front()).value_or("")};
  add(words, asking_);
  add(words, relevant_variables(environment_, command.unset));
  if (command.inquiry == Inquiry::toolkit)
    add(words, toolkit_variables(command, environment_, files_));
  words.insert(words.end(), {"--", command.input});
  add(words, command.argv);
  return words;
}

std::vector<std::string> RememberingProcesses::text_question(const std::vector<std::string>& question) const {
  std::vector<std::string> words = {"text"};
  add(words, asking_);
  add(words, relevant_variables(environment_));
  words.emplace_back("--");
  add(words, question);
  return words;
}

/// The longest known driver command that the arguments begin with.
const RememberingProcesses::Known*
RememberingProcesses::driver_in(const std::vector<std::string>& words) const {
  const Known* best = nullptr;
  std::size_t length = 0;
  for (const auto& [driver, known] : seen_)
    if (driver.size() > length && driver.size() <= words.size() &&
        std::equal(driver.begin(), driver.end(), words.begin())) {
      best = &known;
      length = driver.size();
    }
  return best;
}

std::optional<Ground> RememberingProcesses::ground(const Command& command, const Outcome& outcome) const {
  switch (command.inquiry) {
  case Inquiry::none:
    break;
  case Inquiry::driver:
    return driver_ground(probed_driver(command), outcome, environment_, files_, loaded_);
  case Inquiry::toolkit:
    return toolkit_ground(command, outcome, files_, loaded_);
  case Inquiry::link: {
    const Known* const driver = driver_in(command.argv);
    auto ground =
        driver == nullptr ? std::nullopt : link_ground(command, outcome, driver->outcome, environment_);
    if (ground)
      add(*ground, driver->ground);
    return ground;
  }
  }
  return std::nullopt;
}

/// Stores an answer for later questions that depend on it.
void RememberingProcesses::note(const Command& command, const Outcome& outcome, const Ground& ground) const {
  if (command.inquiry == Inquiry::driver)
    seen_.insert_or_assign(probed_driver(command), Known{outcome, ground});
  else if (command.inquiry == Inquiry::toolkit)
    for (const std::string& path : ground) // also the targets of scripts and symlinks
      if (base_name(path) == "nvcc")
        seen_.insert_or_assign({path}, Known{outcome, ground});
}

std::optional<Outcome> RememberingProcesses::known(const Command& command,
                                                   const std::vector<std::string>& question) const {
  const auto answer = question.empty() ? std::nullopt : cache_.find(question);
  auto kept = answer ? read_kept(*answer) : std::nullopt;
  if (!kept)
    return std::nullopt;
  note(command, kept->outcome, kept->ground);
  return std::move(kept->outcome);
}

void RememberingProcesses::keep(const Command& command, const std::vector<std::string>& question,
                                const Outcome& outcome, std::int64_t asked) const {
  if (question.empty() || outcome.truncated)
    return;
  auto rests_on = ground(command, outcome);
  if (!rests_on)
    return;
  note(command, outcome, *rests_on);
  if (const auto json = kept_json({outcome, {}, *std::move(rests_on)}, asked, files_))
    cache_.keep(question, *json);
}

std::vector<Outcome> RememberingProcesses::run(std::span<const Command> commands) const {
  if (!is_steady())
    return processes_.run(commands);
  std::vector<Outcome> outcomes(commands.size());
  std::vector<Command> left;
  std::vector<std::size_t> places;
  // Computed before the programs run: if a symlink is redirected to an old file meanwhile, no time shows it.
  std::vector<std::vector<std::string>> questions;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    auto asking = question(commands[i]);
    if (auto outcome = known(commands[i], asking)) {
      outcomes[i] = *std::move(outcome);
    } else {
      left.push_back(commands[i]);
      places.push_back(i);
      questions.push_back(std::move(asking));
    }
  }
  if (left.empty())
    return outcomes;
  const std::int64_t asked = now();
  std::vector<Outcome> answers = processes_.run(left);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    keep(left[i], questions[i], answers[i], asked);
    outcomes[places[i]] = std::move(answers[i]);
  }
  // A few KB per answer, and separate answers for each environment and compiler.
  constexpr std::size_t most_answers = 1024;
  constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20U;
  forget_oldest(directory_, most_answers, most_bytes);
  return outcomes;
}

std::optional<std::string> RememberingProcesses::recall(const std::vector<std::string>& question) const {
  if (!is_steady())
    return std::nullopt;
  const auto answer = cache_.find(text_question(question));
  auto kept = answer ? read_kept(*answer) : std::nullopt;
  return kept ? std::optional(std::move(kept->text)) : std::nullopt;
}

void RememberingProcesses::remember(const std::vector<std::string>& question, std::string_view text,
                                    std::span<const std::vector<std::string>> programs, Ground rests_on,
                                    std::int64_t asked) const {
  if (!is_steady())
    return;
  for (const std::vector<std::string>& program : programs) {
    const Known* const known = driver_in(program);
    if (known == nullptr)
      return;
    add(rests_on, known->ground);
  }
  Kept kept;
  kept.outcome.end = Outcome::End::exited;
  kept.text = text;
  kept.ground = std::move(rests_on);
  if (const auto json = kept_json(kept, asked, files_))
    cache_.keep(text_question(question), *json);
}

} // namespace hostpin
