// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/command.hpp"

#include "stdlib-probe/facts/driver_facts.hpp"
#include "stdlib-probe/facts/header_facts.hpp"
#include "stdlib-probe/facts/options.hpp"
#include "stdlib-probe/facts/write.hpp"
#include "toolchains/base/cache_place.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/headers/answer_cache.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::probe {

namespace {

std::string facts_directory(const ProbeContext& context) {
  const Environment& environment = context.environment;
  const auto own = environment["HOSTPIN_CACHE_DIR"], xdg = environment["XDG_CACHE_HOME"],
             home = environment["HOME"];
  const auto directory = cache_directory(CachePlace{own, xdg, home});
  return directory ? *directory + "/facts" : std::string();
}

/// Cached answers of compilers, in the cache directory. An answer is valid for the same command in the same
/// directory, under the same environment variables that compilers read, from this build of the program, as
/// long as its dependencies are unchanged.
class CachedFacts {
public:
  explicit CachedFacts(const ProbeContext& context) : cache_(facts_directory(context), context.files) {
    const std::string program = context.files.real_path("/proc/self/exe").value_or("");
    const FileStatus status = context.files.status(program).value_or(FileStatus{});
    circumstances_ = {"facts", program, std::to_string(status.size), std::to_string(status.modified),
                      context.files.real_path(".").value_or("")};
    for (std::string& variable : relevant_variables(context.environment))
      circumstances_.push_back(std::move(variable));
    circumstances_.emplace_back("--");
  }

  std::optional<std::string> find(const std::vector<std::string>& command) const {
    return cache_.find(question(command));
  }
  void store(const std::vector<std::string>& command, std::string_view answer) const {
    cache_.keep(question(command), answer);
  }

private:
  std::vector<std::string> question(const std::vector<std::string>& command) const {
    std::vector<std::string> words = circumstances_;
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }

  AnswerCache cache_;
  std::vector<std::string> circumstances_;
};

/// Runs those whose answer is not cached; answers are in the order of the candidates.
Answers ask_drivers(const ProbeContext& context, std::span<const DriverCandidate> candidates) {
  const CachedFacts cache(context);
  std::vector<std::optional<std::string>> known;
  std::vector<DriverCandidate> unknown;
  for (const DriverCandidate& candidate : candidates) {
    known.push_back(cache.find(candidate.command));
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
      cache.store(unknown[at].command, *answer);
    }
    answers.given.push_back(std::move(*answer));
  }
  return answers;
}

Result<Answers> ask_headers(const ProbeContext& context, const FactsOptions& options) {
  const std::int64_t asked = now();
  TRY_ASSIGN(auto all, header_facts(context.files, options, context.resources));
  Answers answers;
  answers.asked = asked;
  answers.looked = all.looked;
  for (Result<Facts>& facts : all.facts)
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
  TRY_ASSIGN(auto candidate,
             named_driver(context.files, context.environment, named, own_programs(context.files)));
  const std::vector<std::string> flags = asking_flags(options.flags);
  candidate.command.insert(candidate.command.end(), flags.begin(), flags.end());
  Answers answers = ask_drivers(context, {&candidate, 1});
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

} // namespace hostpin::probe
