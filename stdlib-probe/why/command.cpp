// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/command.hpp"

#include "stdlib-probe/why/check.hpp"
#include "stdlib-probe/why/options.hpp"
#include "stdlib-probe/why/report.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin::probe {

namespace {

int refuse(const Error& error) {
  report(error);
  return probe_failed;
}

/// What to check: every source with each of its commands.
Result<std::vector<CompileCommand>> commands_of(const ProbeContext& context, const WhyOptions& options,
                                                const std::string& here) {
  std::vector<CompileCommand> commands;
  if (options.database.empty()) {
    TRY_ASSIGN(auto words, expanded_words(context.files, options.command, here));
    TRY_ASSIGN(const auto call, invocation(words));
    std::vector<std::string> sources = options.sources.empty() ? call.sources : options.sources;
    for (const std::string& source : sources)
      commands.push_back({here, words, absolute_path(source, here)});
    if (commands.empty())
      return failure("no source is named", "write it before `--`, or in the compile command");
    return commands;
  }
  auto all = compile_database(context.files, options.database);
  if (!all || options.sources.empty())
    return all;
  const auto real = [&](const std::string& path) { return context.files.real_path(path).value_or(path); };
  for (const std::string& source : options.sources) {
    const std::string wanted = real(absolute_path(source, here));
    const std::size_t before = commands.size();
    for (const CompileCommand& command : *all)
      if (real(command.source) == wanted)
        commands.push_back(command);
    if (commands.size() == before)
      return failure(options.database + " has no command for " + source,
                     "name a source that it lists, or give the command after `--`");
  }
  return commands;
}

std::string words_for(const WhyOptions& options, const Limit& limit) {
  if (!options.against.empty())
    return options.against;
  if (options.max.empty())
    return {};
  std::string text;
  for (const auto* const prefix : {"GLIBCXX_", "CXXABI_"})
    if (const auto found = limit.highest.find(prefix); found != limit.highest.end()) {
      std::string number = to_string(found->second);
      text += (text.empty() ? "" : " and ") + found->first + number;
    }
  return text;
}

Result<Limit> limit_for(const ProbeContext& context, const WhyOptions& options,
                        const std::vector<SymbolRelease>& releases) {
  if (!options.against.empty()) {
    auto library = library_symbols(context.files, options.against);
    if (!library)
      return tl::unexpected(library.error());
    Limit limit;
    limit.library = std::move(*library);
    return limit;
  }
  return options.max.empty() ? Result<Limit>(no_limit()) : limit_of(options.max, releases);
}

/// One line on a terminal that is overwritten; nothing elsewhere.
class Progress {
public:
  explicit Progress(std::size_t total) : total_(total), shown_(::isatty(STDERR_FILENO) != 0) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (shown_)
      fmt::print(stderr, "\r\033[K");
  }
  void next(const std::string& source) {
    if (!shown_)
      return;
    fmt::print(stderr, "\r\033[K[{}/{}] {}", ++done_, total_, source.substr(source.rfind('/') + 1));
    std::fflush(stderr);
  }

private:
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_;
};

int exit_code(const WhyQuestion& question, const std::vector<SourceAnswer>& answers) {
  if (std::any_of(answers.begin(), answers.end(),
                  [](const SourceAnswer& one) { return one.error.has_value(); }))
    return probe_failed;
  const bool any =
      std::any_of(answers.begin(), answers.end(), [](const SourceAnswer& one) { return !one.needs.empty(); });
  return any && !question.limit.empty() ? probe_found : probe_fine;
}

} // namespace

int run_why(const ProbeContext& context, std::span<const char* const> arguments) {
  auto options = why_options(arguments);
  if (!options)
    return refuse(options.error());
  if (!options->help.empty())
    return print_help(context, options->help);
  const std::string here = context.files.real_path(".").value_or("/");
  for (std::string* const path : {&options->against, &options->library, &options->database})
    if (!path->empty())
      *path = absolute_path(*path, here);
  const auto releases = load_symbol_releases(context.files, context.data);
  if (!releases)
    return refuse(releases.error());
  const auto limit = limit_for(context, *options, *releases);
  if (!limit)
    return refuse(limit.error());
  const auto commands = commands_of(context, *options, here);
  if (!commands)
    return refuse(commands.error());

  Checker checker(context, *limit, *releases, options->library, options->predict);
  std::vector<SourceAnswer> answers;
  {
    Progress progress(commands->size());
    for (const CompileCommand& command : *commands) {
      progress.next(command.source);
      answers.push_back(options->object ? checker.check_object(command, options->symbols)
                                        : checker.check(command));
    }
  }
  const WhyQuestion question{words_for(*options, *limit), options->chain, here};
  const std::string text = options->json    ? why_json(question, answers)
                           : options->lines ? why_lines(question, answers)
                                            : why_text(question, answers, context.terminal);
  fmt::print("{}", text);
  for (const SourceAnswer& answer : answers)
    if (answer.error)
      report(*answer.error);
  return exit_code(question, answers);
}

} // namespace hostpin::probe
