// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/commands.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/options/options.hpp"
#include "wrapper/matrix/comment/answer.hpp"
#include "wrapper/matrix/comment/markdown.hpp"
#include "wrapper/matrix/comment/source.hpp"
#include "wrapper/matrix/notify/subscriptions.hpp"
#include "wrapper/matrix/planning.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

constexpr std::size_t largest_merged = std::size_t{1} << 30, largest_answer = std::size_t{64} << 20;

CLI::Option* add(CLI::App& app, const char* name, std::string& value, const char* type, const char* text) {
  return app.add_option(name, value, text)->type_name(type)->allow_extra_args(false);
}

struct DiffTerms {
  std::string format = "text", service = "github"; ///< as on the command line
  std::string plan, matrix, from, to, bisected;
};

/// What a report is made of.
struct Compared {
  std::vector<Merged> merged;  ///< the older one first; one: only the newer one
  std::vector<Change> changes; ///< into `merged`
  Comparison comparison;
};

Result<std::string> text_of(const Context& context, const std::string& path) {
  return context.files.read(path, largest_merged);
}

/// The directory of the plan names the sources; else the current directory is in their repository.
Result<void> take_sources(const Context& context, const DiffTerms& terms, Comparison& comparison) {
  std::optional<Plan> plan;
  if (!terms.plan.empty()) {
    TRY_ASSIGN(auto loaded, load_plan(context.files, terms.plan));
    plan = std::move(loaded);
    comparison.plan = sha256_of(plan_json(*plan));
  }
  Sources sources;
  sources.plan = plan ? &*plan : nullptr;
  std::optional<Repository> repository;
  if (!terms.from.empty() || !terms.bisected.empty()) {
    TRY_ASSIGN(auto found, plan ? repository_of(plan->projects) : Repository::of("."));
    sources.repository = &repository.emplace(std::move(found));
  }
  for (const auto& [revision, commit] :
       {std::pair{&terms.from, &sources.from}, std::pair{&terms.to, &sources.to}})
    if (!terms.from.empty()) {
      TRY_ASSIGN(auto found, repository->commit(revision->empty() ? "HEAD" : *revision));
      *commit = std::move(found);
    }
  if (!terms.bisected.empty()) {
    const auto text = text_of(context, terms.bisected);
    auto broken = text ? read_broken(*text, terms.bisected)
                       : Result<std::map<std::string, BrokenBetween>>(tl::unexpected(text.error()));
    if (!broken)
      return tl::unexpected(broken.error());
    sources.broken = *std::move(broken);
  }
  add_sources(comparison, sources);
  return {};
}

/// Compares two files of merged results, or takes one and compares nothing.
Result<Compared> compared(const Context& context, const DiffTerms& terms,
                          const std::vector<std::string>& paths) {
  Compared all;
  for (const std::string& path : paths) {
    const auto text = text_of(context, path);
    TRY_ASSIGN(auto read, text ? read_merged(*text, path) : Result<Merged>(tl::unexpected(text.error())));
    all.merged.push_back(std::move(read));
  }
  const Merged& now = all.merged.back();
  if (all.merged.size() == 2)
    all.changes = differences(all.merged.front(), now);
  const auto with_now = static_cast<std::size_t>(
      std::ranges::count_if(all.changes, [](const Change& change) { return change.now != nullptr; }));
  all.comparison = comparison_of(all.changes, now.cells.size() - with_now);
  all.comparison.name = now.name;
  TRY(take_sources(context, terms, all.comparison));
  return all;
}

/// What an earlier `diff --json` wrote.
Result<Compared> stored_comparison(const Context& context, const std::string& path) {
  const auto text = text_of(context, path);
  TRY_ASSIGN(auto read,
             text ? read_difference(*text, path) : Result<Comparison>(tl::unexpected(text.error())));
  Compared all;
  all.comparison = std::move(read);
  return all;
}

std::string report_of(const DiffTerms& terms, const Compared& all) {
  const Comparison& comparison = all.comparison;
  const auto service = [&] {
    return terms.service == "gitlab"    ? Service::gitlab
           : terms.service == "forgejo" ? Service::forgejo
                                        : Service::github;
  };
  if (terms.format == "html")
    return html_page(all.merged.size() == 2 ? &all.merged.front() : nullptr, all.merged.back(),
                     HOSTPIN_VERSION);
  return terms.format == "json"          ? difference_json(all.changes, comparison)
         : terms.format == "markdown"    ? markdown(comparison)
         : terms.format == "request"     ? comment_request(comparison)
         : terms.format == "marker"      ? comment_marker(comparison) + '\n'
         : terms.format == "annotations" ? annotations(comparison, service())
                                         : difference_text(comparison);
}

int exit_code(const Comparison& comparison) {
  const auto has = [&](Change::Kind kind) { return cells_with(comparison, kind) > 0; };
  return has(Change::Kind::broken) || has(Change::Kind::changed)    ? exit_bad
         : has(Change::Kind::undecided) || has(Change::Kind::noise) ? exit_unknown
                                                                    : exit_fine;
}

/// Reads the operands of `diff`, or says why they are none.
Result<Compared> read_operands(const Context& context, const CLI::App& app, const DiffTerms& terms,
                               const std::vector<std::string>& paths) {
  const bool is_stored = paths.size() == 1 && terms.format != "html" && terms.format != "json";
  if (paths.size() != 2 && !is_stored && !(paths.size() == 1 && terms.format == "html"))
    return options::misuse(app, "diff takes two merged results, the older one first, or what diff --json "
                                "printed");
  if (!is_stored)
    return compared(context, terms, paths);
  if (!terms.plan.empty() || !terms.from.empty() || !terms.bisected.empty())
    return options::misuse(app, "--plan, --from and --bisected belong to the call with two merged results");
  return stored_comparison(context, paths.front());
}

AnswerTerm term_of(const std::string& text, bool is_beginning) {
  const std::size_t equals = std::min(text.find('='), text.size());
  return {text.substr(0, equals), text.substr(std::min(equals + 1, text.size())), is_beginning};
}

} // namespace

Result<int> run_diff(const Context& context, Arguments arguments) {
  DiffTerms terms;
  bool json = false, html = false;
  CLI::App app("Compares two merged results: what is broken or fixed, and why.", "hostpin matrix diff");
  options::add_usage(app, {"[OPTION]... BEFORE.json NOW.json", "--html NOW.json",
                           "[--matrix FILE] --format FORMAT DIFFERENCE.json"});
  CLI::Option* const format =
      add(app, "--format", terms.format, "FORMAT",
          "text; json; html; markdown: a comment for a pull request; request: the same for the API of a "
          "service; marker: how such comments begin; annotations: at file and line; default: text")
          ->check(CLI::IsMember({"text", "json", "html", "markdown", "request", "marker", "annotations"}));
  CLI::Option* const json_flag = app.add_flag("--json", json, "the same as --format json")->excludes(format);
  app.add_flag("--html", html, "print a page with a row for each cell, differences first")
      ->excludes(json_flag)
      ->excludes(format);
  add(app, "--service", terms.service, "NAME",
      "whose annotations: github, gitlab or forgejo; default: github")
      ->check(CLI::IsMember({"github", "gitlab", "forgejo"}));
  add(app, "--plan", terms.plan, "PLAN", "the plan of NOW, which names the sources");
  add(app, "--matrix", terms.matrix, "FILE", "the description, for the command that reproduces a cell");
  CLI::Option* const from =
      add(app, "--from", terms.from, "REV", "the revision of BEFORE: show the source lines that changed");
  add(app, "--to", terms.to, "REV", "the revision of NOW; default: HEAD")->needs(from);
  add(app, "--bisected", terms.bisected, "FILE", "what bisect --json printed: show lines and commits");
  app.footer("Exit code: 0 nothing is broken, 1 something is, 2 something is not known.");
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  if (!operands.help.empty()) {
    fmt::print("{}", options::wrapped_help(operands.help, context.terminal.width()));
    return exit_fine;
  }
  if (json || html)
    terms.format = json ? "json" : "html";
  TRY_ASSIGN(auto all, read_operands(context, app, terms, operands.words));
  if (!terms.matrix.empty())
    all.comparison.description = terms.matrix;
  fmt::print("{}", report_of(terms, all));
  return exit_code(all.comparison);
}

Result<int> run_notify(const Context& context, Arguments arguments) {
  std::string mail, matrix;
  CLI::App app("Prints a message for each who subscribed to cells or causes that changed; sends nothing.",
               "hostpin matrix notify");
  options::add_usage(app, {"[OPTION]... SUBSCRIBE.toml DIFFERENCE.json"});
  add(app, "--mail", mail, "NAME",
      "print the mail for this subscriber, for sendmail -t; default: all as JSON");
  add(app, "--matrix", matrix, "FILE", "the description, for the commands that reproduce cells");
  app.footer("DIFFERENCE.json is what hostpin matrix diff --json printed.\n"
             "Exit code: 0 printed, also if there is no message, 2 a file is damaged, or wrong usage.");
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  if (!operands.help.empty()) {
    fmt::print("{}", options::wrapped_help(operands.help, context.terminal.width()));
    return exit_fine;
  }
  if (operands.words.size() != 2)
    return options::misuse(app, "notify takes a list of subscribers and what diff --json printed");
  TRY_ASSIGN(const auto subscribers, read_subscriptions(context.files, operands.words.front()));
  if (!mail.empty() && std::ranges::find(subscribers, mail, &Subscriber::name) == subscribers.end())
    return failure(fmt::format("{} has no subscriber {}", operands.words.front(), mail));
  TRY_ASSIGN(auto all, stored_comparison(context, operands.words.back()));
  if (!matrix.empty())
    all.comparison.description = matrix;
  const std::vector<Message> list = messages(subscribers, all.comparison);
  if (mail.empty())
    fmt::print("{}", messages_json(list));
  for (const Message& message : list)
    if (message.to == mail)
      fmt::print("{}", mail_text(message));
  return exit_fine;
}

Result<int> run_answer(const Context& context, Arguments arguments) {
  AnswerQuery query;
  std::vector<std::string> equal, beginning;
  CLI::App app("Prints values of the elements of a JSON answer, a line for each element.",
               "hostpin matrix answer");
  options::add_usage(app, {"[OPTION]... --print PATH... FILE"});
  const auto many = [&](const char* name, std::vector<std::string>& values, const char* type,
                        const char* text) {
    app.add_option(name, values, text)->type_name(type)->allow_extra_args(false);
  };
  add(app, "--list", query.list, "PATH", "the member with the list; default: the answer is the list");
  many("--where", equal, "PATH=TEXT", "only elements with this value");
  many("--starts", beginning, "PATH=TEXT", "only elements whose value begins so");
  many("--print", query.print, "PATH", "a member, such as head.sha");
  app.footer("Exit code: 0 printed, 1 the list has no elements, 2 it is not such an answer.");
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  if (!operands.help.empty()) {
    fmt::print("{}", options::wrapped_help(operands.help, context.terminal.width()));
    return exit_fine;
  }
  if (operands.words.size() != 1 || query.print.empty())
    return options::misuse(app, "answer takes a file and --print");
  for (const std::string& text : equal)
    query.terms.push_back(term_of(text, false));
  for (const std::string& text : beginning)
    query.terms.push_back(term_of(text, true));
  const auto text = context.files.read(operands.words.front(), largest_answer);
  const auto answer =
      text ? answered(*text, query, operands.words.front()) : Result<Answered>(tl::unexpected(text.error()));
  if (!answer)
    return tl::unexpected(answer.error());
  for (const std::string& message : answer->skipped)
    fmt::print(stderr, "hostpin: warning: skipped an element: {}\n", message);
  for (const std::vector<std::string>& values : answer->values)
    fmt::print("{}\n", fmt::join(values, " "));
  return answer->count == 0 ? exit_bad : exit_fine;
}

} // namespace hostpin::matrix
