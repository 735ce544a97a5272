// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/command.hpp"

#include "stdlib-probe/facts/driver_facts.hpp"
#include "stdlib-probe/facts/flags.hpp"
#include "stdlib-probe/facts/header_facts.hpp"
#include "stdlib-probe/facts/options.hpp"
#include "stdlib-probe/facts/remembered.hpp"
#include "stdlib-probe/facts/write.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// Runs those whose answer is not cached; answers are in the order of the candidates.
Answers ask_drivers(const ProbeContext& context, std::span<const DriverCandidate> candidates) {
  const RememberedFacts remembered(context);
  std::vector<std::optional<std::string>> known;
  std::vector<DriverCandidate> unknown;
  for (const DriverCandidate& candidate : candidates) {
    known.push_back(remembered.find(candidate.command));
    if (!known.back())
      unknown.push_back(candidate);
  }
  const std::int64_t asked = now();
  std::vector<Result<Facts>> fresh = driver_facts(context.files, context.processes, unknown);
  Answers answers;
  answers.asked = asked;
  std::size_t next = 0;
  for (std::optional<std::string>& answer : known) {
    if (!answer) {
      const std::size_t at = next++;
      if (!fresh[at]) {
        answers.refused.push_back(std::move(fresh[at].error()));
        continue;
      }
      answer = facts_json(*fresh[at], context.files, asked);
      remembered.keep(unknown[at].command, *answer);
    }
    answers.given.push_back(std::move(*answer));
  }
  return answers;
}

Result<Answers> ask_headers(const ProbeContext& context, const FactsOptions& options) {
  const std::int64_t asked = now();
  auto all = header_facts(context.files, options, context.resources);
  if (!all)
    return tl::unexpected(all.error());
  Answers answers;
  answers.asked = asked;
  answers.looked = all->looked;
  for (Result<Facts>& facts : all->facts)
    if (facts)
      answers.given.push_back(facts_json(*facts, context.files, asked));
    else
      answers.refused.push_back(std::move(facts.error()));
  if (answers.given.empty())
    return tl::unexpected(answers.refused.front());
  return answers;
}

/// A path may contain blanks and quotes.
std::string quoted_word(const std::string& word) {
  std::string quoted;
  for (const char c : word) {
    if (std::string_view(" \t\r\n\v\f'\"\\").find(c) != std::string_view::npos)
      quoted += '\\';
    quoted += c;
  }
  return quoted;
}

Result<Answers> ask_one(const ProbeContext& context, const FactsOptions& options) {
  const bool is_path = options.driver.find('/') != std::string::npos && context.files.status(options.driver);
  const NamedDriver named{is_path ? quoted_word(options.driver) : options.driver, "the command line"};
  auto candidate = named_driver(context.files, context.environment, named, own_programs(context.files));
  if (!candidate)
    return tl::unexpected(candidate.error());
  const std::vector<std::string> flags = asking_flags(options.flags);
  candidate->command.insert(candidate->command.end(), flags.begin(), flags.end());
  Answers answers = ask_drivers(context, {&*candidate, 1});
  if (!answers.refused.empty())
    return tl::unexpected(answers.refused.front());
  return answers;
}

Result<Answers> ask_all(const ProbeContext& context) {
  const DriverSearch search =
      discover_drivers(context.files, context.environment, {}, own_programs(context.files));
  if (search.candidates.empty())
    return failure("there is no C++ compiler on this machine", "install g++ or clang++, or put it on PATH");
  Answers answers = ask_drivers(context, search.candidates);
  answers.looked = search.looked;
  return answers;
}

Result<Answers> ask(const FactsOptions& options, const ProbeContext& context) {
  if (options.all)
    return ask_all(context);
  return options.driver.empty() ? ask_headers(context, options) : ask_one(context, options);
}

void print(const Answers& answers, const FactsOptions& options, const ProbeContext& context) {
  std::string text;
  if (!options.json)
    text = facts_text(answers.given, context.terminal);
  else if (!options.driver.empty())
    text = answers.given.front();
  else
    text = facts_list_json(options.all ? "compilers" : "installations", answers, context.files);
  fmt::print("{}", text);
}

} // namespace

int run_facts(const ProbeContext& context, std::span<const char* const> arguments) {
  return answered(context, facts_options(arguments), ask, [&](const auto& options, const auto& answers) {
    print(answers, options, context);
    for (const Error& error : answers.refused)
      if (!options.json)
        print_error(fmt::format("hostpin: note: {}\n", error.message));
    return answers.given.empty() ? probe_failed : probe_fine;
  });
}

} // namespace hostpin
