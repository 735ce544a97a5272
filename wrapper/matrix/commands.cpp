// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/commands.hpp"

#include "toolchains/base/cache_place.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/gpus/gpus.hpp"
#include "toolchains/headers/header_probe.hpp"
#include "toolchains/options/options.hpp"
#include "wrapper/matrix/bisect.hpp"
#include "wrapper/matrix/cause.hpp"
#include "wrapper/matrix/emit.hpp"
#include "wrapper/matrix/merge.hpp"
#include "wrapper/matrix/planning.hpp"
#include "wrapper/matrix/run.hpp"
#include "wrapper/matrix/stored.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

CLI::Option* add(CLI::App& app, const char* name, std::string& value, const char* type, const char* text) {
  return app.add_option(name, value, text)->type_name(type)->allow_extra_args(false);
}

void note(const std::string& text) {
  print_error("hostpin: note: " + text + '\n');
}

/// What `use` gets of tables and configuration.
template <typename Use>
Result<int> with_decisions(const Context& context, Use use) {
  TRY_ASSIGN(const auto config, load_config(context.files, context.environment));
  TRY_ASSIGN(const auto table, load_table(context.files, context.data));
  TRY_ASSIGN(const auto gpus, gpus::load_gpus(context.files, context.data));
  const auto text = [&](const char* name) -> std::optional<std::string_view> {
    const auto found = context.environment.variables().find(name);
    if (found == context.environment.variables().end() || found->second.empty())
      return std::nullopt;
    return found->second;
  };
  const auto cache = cache_directory({text("HOSTPIN_CACHE_DIR"), text("XDG_CACHE_HOME"), text("HOME")});
  const ProgramHeaderProbe headers(context.programs + "/stdlib-probe", cache ? *cache + "/headers" : "",
                                   context.files, context.processes);
  const DecisionInputs inputs{
      context.environment, context.files, context.processes, config, table, headers, gpus};
  Decisions decisions(inputs);
  return use(decisions);
}

/// Has the sources of `to` in the plan's directory, and what differs from `from`.
Result<void> take_revisions(Description& description, PlanTerms& terms, const std::string& from,
                            const std::string& to, const std::string& output) {
  TRY_ASSIGN(const auto repository, repository_of(description.projects));
  const auto commit = repository.commit(to);
  if (!commit)
    return tl::unexpected(commit.error());
  std::error_code error;
  auto projects = projects_at(description.projects, repository, *commit,
                              fs::absolute(output, error).string() + "/revisions/" + *commit);
  if (!projects)
    return tl::unexpected(projects.error());
  description.projects = *std::move(projects);
  for (const Project& project : description.projects)
    if (!fs::is_directory(project.source, error))
      return failure(fmt::format("{} has no source of project {}", to, project.name));
  if (from.empty())
    return {};
  const auto earlier = repository.commit(from);
  auto changed = earlier ? repository.changes(*earlier, *commit)
                         : Result<std::vector<TreeChange>>(tl::unexpected(earlier.error()));
  if (!changed)
    return tl::unexpected(changed.error());
  terms.changed = *std::move(changed);
  return {};
}

std::string plan_summary(const Plan& plan, const std::string& directory) {
  std::map<Planned, std::size_t> counts;
  std::size_t checks = 0;
  std::map<std::string, std::size_t> reasons, whys;
  for (const PlannedCell& cell : plan.cells) {
    ++counts[cell.planned];
    checks += cell.is_check ? 1U : 0U;
    if (!cell.why.empty())
      ++whys[cell.why];
    if (cell.planned == Planned::cannot)
      ++reasons[cause_of_refusal(cell.decided).text];
  }
  std::string text =
      fmt::format("{} cells: {} to run{}, {} the same as stored, {} cannot work\n", plan.cells.size(),
                  counts[Planned::run],
                  checks > 0 ? fmt::format(" ({} of them to check that they cannot work)", checks) : "",
                  counts[Planned::same], counts[Planned::cannot]);
  for (const auto& [reason, count] : reasons)
    text += fmt::format("  {:>5}  {}\n", count, escaped(reason));
  for (const auto& [why, count] : whys)
    text += fmt::format("  {:>5}  run: {}\n", count, escaped(why));
  return text + fmt::format("written: {}/plan.json\n", directory);
}

} // namespace

Result<int> run_plan(const Context& context, Arguments arguments) {
  std::string output, cover = "all", from, to;
  PlanTerms terms;
  CLI::App app("Decides which cells of a matrix have to run.", "hostpin matrix plan");
  options::add_usage(app, {"[OPTION]... MATRIX.toml -o DIR"});
  add(app, "-o,--output", output, "DIR", "directory for the plan");
  CLI::Option* const results =
      add(app, "--from-results", terms.results, "DIR",
          "results of earlier runs: a cell is not run if all that it read is the same");
  add(app, "--to", to, "REV", "plan this revision of the sources, checked out in DIR; default: the files");
  add(app, "--from", from, "REV", "the revision of those results: say which of its changes cells run for")
      ->needs(results);
  add(app, "--cover", cover, "WHICH",
      "all; pairs: each two values together; edges: where decisions change; default: all")
      ->check(CLI::IsMember({"all", "pairs", "edges"}));
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  if (!operands.help.empty()) {
    fmt::print("{}", options::wrapped_help(operands.help, context.terminal.width()));
    return exit_fine;
  }
  if (operands.words.size() != 1)
    return options::misuse(app, "plan takes one description of a matrix");
  if (output.empty())
    return options::misuse(app, "name a directory for the plan with -o");
  TRY_ASSIGN(auto description, read_description(context.files, operands.words.front()));
  if (!from.empty() || !to.empty())
    TRY(take_revisions(description, terms, from, to.empty() ? "HEAD" : to, output));
  terms.cover = cover == "pairs" ? Cover::pairs : cover == "edges" ? Cover::edges : Cover::all;
  return with_decisions(context, [&](Decisions& decisions) -> Result<int> {
    std::vector<std::string> notes;
    const Plan plan = make_plan(description, terms, decisions, context.environment, context.files, notes);
    for (const std::string& each : notes)
      note(each);
    std::error_code error;
    fs::create_directories(output, error);
    // The same plan is no newer than its results.
    const std::string path = output + "/plan.json", text = plan_json(plan);
    if (context.files.read(path, largest_file).value_or("") != text)
      TRY(replace_file(path, text, false));
    fmt::print("{}", plan_summary(plan, output));
    return exit_fine;
  });
}

Result<int> run_run(const Context& context, Arguments arguments) {
  RunSettings settings;
  std::string cell, stage = "all";
  CLI::App app(
      "Runs one cell: binds, configures, builds, installs, scans and tests it, and writes its result.",
      "hostpin matrix run");
  options::add_usage(app, {"PLAN --cell ID -o RESULT.json [OPTION]..."});
  add(app, "--cell", cell, "ID", "the cell");
  add(app, "-o,--output", settings.output, "FILE", "file for the result; its log is next to it");
  add(app, "--work", settings.work, "DIR", "directory for the cell's files; default: work/ID in PLAN");
  add(app, "--stage", stage, "WHICH",
      "all; build: all but the test, and pack what was built next to the result; test: test that")
      ->check(CLI::IsMember({"all", "build", "test"}));
  app.add_flag("--keep", settings.stays, "do not remove the work directory");
  app.footer("Exit code: 0 it passed, 1 it failed or cannot be bound, 2 there is no result, or it was lost.");
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  if (!operands.help.empty()) {
    fmt::print("{}", options::wrapped_help(operands.help, context.terminal.width()));
    return exit_fine;
  }
  if (operands.words.size() != 1 || cell.empty() || settings.output.empty())
    return options::misuse(app, "run takes a plan, --cell and -o");
  settings.plan = operands.words.front();
  settings.hostpin = context.hostpin;
  settings.programs = context.programs;
  settings.stage = stage == "build" ? Stage::build : stage == "test" ? Stage::test : Stage::all;
  const auto plan = load_plan(context.files, settings.plan);
  if (!plan)
    return tl::unexpected(plan.error());
  const PlannedCell* const planned = plan->cell(cell);
  if (planned == nullptr)
    return failure(fmt::format("{} has no cell {}", settings.plan, cell), "plan.json lists them");
  const auto result =
      run_cell(*plan, *planned, settings, {context.environment, context.files, context.processes});
  if (!result)
    return tl::unexpected(result.error());
  const bool is_half = settings.stage == Stage::build && result->state == State::missing;
  fmt::print("{}: {}", cell, is_half ? "built" : to_string(result->state));
  if (!result->cause.kind.empty())
    fmt::print(" ({}, {}): {}", result->cause.kind, result->cause.stage, escaped(result->cause.text));
  fmt::print("\n");
  return is_half || result->state == State::passed ? exit_fine
         : result->state == State::lost            ? exit_unknown
                                                   : exit_bad;
}

Result<int> run_merge(const Context& context, Arguments arguments) {
  std::string output, plan_directory, junit, sarif, html;
  CLI::App app("Merges the results of cells.", "hostpin matrix merge");
  options::add_usage(app, {"[--plan PLAN] RESULTS -o FILE [OPTION]..."});
  add(app, "-o,--output", output, "FILE", "file for the merged results");
  add(app, "--plan", plan_directory, "PLAN", "the plan: its cells without a result are missing");
  add(app, "--junit", junit, "FILE", "also write JUnit's XML");
  add(app, "--sarif", sarif, "FILE", "also write SARIF 2.1.0");
  add(app, "--html", html, "FILE", "also write a page");
  app.footer("Exit code: 0 every cell passed or cannot fit, 1 one failed, 2 one is not known, or lacks a "
             "compiler or toolkit.");
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  if (!operands.help.empty()) {
    fmt::print("{}", options::wrapped_help(operands.help, context.terminal.width()));
    return exit_fine;
  }
  if (operands.words.size() != 1 || output.empty())
    return options::misuse(app, "merge takes a directory of results and -o");
  std::optional<Plan> plan;
  if (!plan_directory.empty()) {
    TRY_ASSIGN(auto loaded, load_plan(context.files, plan_directory));
    plan = std::move(loaded);
  }
  const Results loaded = load_results(context.files, operands.words.front());
  for (const Error& each : loaded.damaged)
    note(each.message + "; it counts as missing");
  std::vector<CellResult> results;
  for (const auto& [path, result] : loaded.results)
    results.push_back(result);
  if (plan && !plan->results.empty())
    add_stored(*plan, load_results(context.files, plan->results), results);
  const Merged all = merged(plan ? &*plan : nullptr, results);
  if (all.cells.empty())
    return failure("there are no results in " + operands.words.front(), "name the directory given to run -o");
  for (const auto& [path, text] : {std::pair{output, merged_json(all)},
                                   {junit, junit.empty() ? "" : junit_xml(all)},
                                   {sarif, sarif.empty() ? "" : sarif_json(all, HOSTPIN_VERSION)},
                                   {html, html.empty() ? "" : html_page(nullptr, all, HOSTPIN_VERSION)}})
    if (!path.empty())
      TRY(replace_file(path, text, false));
  fmt::print("{}\n", summary(all));
  const auto has = [&](std::initializer_list<State> states) {
    return std::ranges::any_of(all.cells, [&](const CellResult& cell) {
      return std::find(states.begin(), states.end(), cell.state) != states.end();
    });
  };
  // Nothing shows that a cell fails where its toolkit or compiler is.
  const bool lacks_tools = std::ranges::any_of(all.cells, [](const CellResult& cell) {
    return cell.state == State::cannot && cell.cause.kind == "no-binding";
  });
  return has({State::failed})                                              ? exit_bad
         : lacks_tools || has({State::lost, State::missing, State::noise}) ? exit_unknown
                                                                           : exit_fine;
}

Result<int> run_bisect(const Context& context, Arguments arguments) {
  BisectTerms terms;
  bool json = false;
  CLI::App app("Finds the commits that broke cells: those that pass at one revision and fail at a later one.",
               "hostpin matrix bisect");
  options::add_usage(app, {"PLAN --good REV --bad REV -o DIR [OPTION]..."});
  add(app, "--good", terms.good, "REV", "a revision at which they pass");
  add(app, "--bad", terms.bad, "REV", "a later one of the same branch");
  add(app, "-o,--output", terms.output, "DIR", "directory for checkouts and results");
  app.add_option("-j,--jobs", terms.jobs, "cells that run at once; default: 1")
      ->type_name("N")
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 1024));
  app.add_flag("--json", json, "print JSON");
  app.footer("Exit code: 0 no cell broke, 1 the commits of all that broke were found, 2 one is not known.");
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  if (!operands.help.empty()) {
    fmt::print("{}", options::wrapped_help(operands.help, context.terminal.width()));
    return exit_fine;
  }
  if (operands.words.size() != 1 || terms.good.empty() || terms.bad.empty() || terms.output.empty())
    return options::misuse(app, "bisect takes a plan, --good, --bad and -o");
  terms.hostpin = context.hostpin;
  TRY_ASSIGN(const auto plan, load_plan(context.files, operands.words.front()));
  TRY_ASSIGN(const auto repository, repository_of(plan.projects));
  const auto bisected =
      bisect(plan, repository, terms, {context.environment, context.files, context.processes});
  if (!bisected)
    return tl::unexpected(bisected.error());
  fmt::print("{}", json ? bisected_json(*bisected) : bisected_text(*bisected, repository));
  const bool is_open =
      !bisected->unknown.empty() ||
      std::ranges::any_of(bisected->broken, [](const Breakage& each) { return !each.is_exact; });
  return is_open ? exit_unknown : bisected->broken.empty() ? exit_fine : exit_bad;
}

Result<int> run_emit(const Context& context, Arguments arguments) {
  std::string engine, results = "results", program, setup, described;
  CLI::App app(
      "Prints a plan as a file of an engine that runs jobs, or a pipeline that makes the plan itself.",
      "hostpin matrix emit");
  options::add_usage(app, {"PLAN --for ENGINE [OPTION]...", "MATRIX.toml --for SERVICE [OPTION]..."});
  add(app, "--for", engine, "ENGINE",
      "make, slurm, nix, github, gitlab or buildbot; what pipelines call: github-outputs, gitlab-child, "
      "cells; "
      "with MATRIX.toml: github, gitlab, forgejo; github-comment, gitlab-comment or forgejo-comment: the "
      "pipeline that comments on pull requests of forks");
  add(app, "--results", results, "DIR", "where the jobs write results; default: results");
  add(app, "--hostpin", program, "PROGRAM",
      "the hostpin that they call; default: this one, and with MATRIX.toml hostpin");
  add(app, "--setup", setup, "COMMAND", "with MATRIX.toml: what each job runs before, to install compilers");
  add(app, "--matrix", described, "FILE", "with gitlab-child: the description of the plan");
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  if (!operands.help.empty()) {
    fmt::print("{}", options::wrapped_help(operands.help, context.terminal.width()));
    return exit_fine;
  }
  if (operands.words.size() != 1 || engine.empty())
    return options::misuse(app, "emit takes a plan or a description of a matrix, and --for");
  for (const std::string& path : {operands.words.front(), results, program, described})
    if (path.find_first_of("\r\n") != std::string::npos)
      return failure("the files of engines have lines, and a path with a line end would become two: " +
                         shell_word(path),
                     "rename it");
  if (const std::string& matrix = operands.words.front(); matrix.ends_with(".toml")) {
    const auto description = read_description(context.files, matrix);
    TRY_ASSIGN(const auto text,
               description ? pipeline_emission(engine, {program.empty() ? "hostpin" : program, matrix, setup})
                           : tl::unexpected(description.error()));
    fmt::print("{}", text);
    return exit_fine;
  }
  TRY_ASSIGN(const auto plan, load_plan(context.files, operands.words.front()));
  TRY_ASSIGN(const auto text, emission(engine, plan,
                                       {program.empty() ? context.hostpin : program, operands.words.front(),
                                        results, setup, described}));
  fmt::print("{}", text);
  return exit_fine;
}

} // namespace hostpin::matrix
