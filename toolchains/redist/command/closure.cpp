// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/closure.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/options/progress_line.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/command/trees.hpp"
#include "toolchains/redist/tree/proof.hpp"

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

using Json = nlohmann::ordered_json;

struct ClosureOptions {
  std::string help;
  std::string from;
  std::vector<std::string> requests;
  std::string store, platform;
  bool json = false;
};

Result<ClosureOptions> closure_options(Arguments arguments) {
  CLI::App app{
      "Sizes of packages with all that they need: what the loader loads (NEEDED), what libraries may "
      "open by name while the program runs, and what headers include; with the reason for each part.",
      "hostpin redist closure"};
  options::add_usage(app, {"DIR [PACKAGE[.OUTPUT] | FILE]... [--json]",
                           "LOCK --store STORE --platform PLATFORM [PACKAGE[.OUTPUT] | FILE]..."});
  ClosureOptions chosen;
  app.add_option("--store", chosen.store, "for a lock: directory that `redist fetch` unpacks archives into")
      ->type_name("STORE");
  app.add_option("--platform", chosen.platform, "for a lock: platform of the archives, such as linux-x86_64")
      ->type_name("PLATFORM");
  app.add_flag("--json", chosen.json, "print JSON");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<ClosureOptions>(operands);
  if (operands->words.empty())
    return options::misuse(app, "closure needs a composed toolkit or a lock");
  chosen.from = operands->words.front();
  chosen.requests.assign(operands->words.begin() + 1, operands->words.end());
  return chosen;
}

Result<Root> root_of(const Context& context, const TreeFacts& facts, const ClosureOptions& options) {
  if (is_composed_root(options.from)) {
    auto origin = origin_at(options.from);
    return origin ? Result<Root>(Root::of_directory(options.from, *std::move(origin)))
                  : tl::unexpected(origin.error());
  }
  const auto status = context.files.status(options.from);
  if (!status)
    return failure(escaped(options.from) + ": there is no such file or directory, or it cannot be reached");
  if (status->kind == FileStatus::Kind::directory)
    return failure(escaped(options.from) + " has no " + std::string(origin_name),
                   "name a directory that `hostpin redist compose` made, or a lock");
  if (options.store.empty() || options.platform.empty())
    return failure("closure of a lock needs --store and --platform", "see `hostpin redist closure --help`");
  Composition composition;
  composition.host = options.platform;
  composition.targets = {options.platform};
  const auto plan = planned_root(context, facts, options.from, options.store, composition, false);
  return plan ? Result<Root>(Root::of_plan(*plan)) : tl::unexpected(plan.error());
}

std::string why_text(const Root& root, const std::vector<ClosureStep>& why) {
  std::string text;
  for (const ClosureStep& step : why) {
    const std::string name(base_name(root.files()[step.file].entry->path));
    text += text.empty() ? name
                         : ' ' +
                               std::string(step.reason == ClosureReason::needed   ? "needs"
                                           : step.reason == ClosureReason::opened ? "opens"
                                                                                  : "includes") +
                               ' ' + name;
  }
  return text;
}

Json part_json(const Root& root, const ClosurePart& part) {
  Json row{{"package", part.package}, {"platform", part.platform}, {"output", part.output}};
  row["files"] = part.files;
  row["bytes"] = part.bytes;
  row["reason"] = to_string(part.reason);
  Json& why = row["why"] = Json::array();
  for (const ClosureStep& step : part.why)
    why.push_back({{"file", root.files()[step.file].entry->path}, {"reason", to_string(step.reason)}});
  return row;
}

Json closure_json(const Root& root, const std::string& request, const FileClosure& closure) {
  Json row{{"request", request}};
  row["bytes"] = closure.chosen;
  row["needed_bytes"] = closure.needed;
  row["opened_bytes"] = closure.opened;
  row["included_bytes"] = closure.included;
  Json& parts = row["parts"] = Json::array();
  for (const ClosurePart& part : closure.parts)
    parts.push_back(part_json(root, part));
  row["expected_at_run"] = closure.expected;
  row["missing"] = closure.missing;
  return row;
}

std::string parts_text(const Root& root, const FileClosure& closure, const Terminal& terminal) {
  std::string text;
  for (const ClosurePart& part : closure.parts)
    if (part.reason != ClosureReason::chosen)
      text += paragraph(part.package + '.' + part.output + ", " + options::amount_text(part.bytes) + ": " +
                            why_text(root, part.why),
                        terminal, 2, 6);
  for (const std::string& name : closure.missing)
    text += "  not in the tree: " + escaped(name) + '\n';
  return text;
}

Result<int> closure(const Context& context, const ClosureOptions& options) {
  TRY_ASSIGN(const auto facts, load_tree_facts(context.files, context.data));
  TRY_ASSIGN(const auto root, root_of(context, facts, options));
  Relations relations(root, facts);
  const bool all = options.requests.empty();
  Json json{{"schema", 1}, {"from", options.from}};
  Json& closures = json["closures"] = Json::array();
  std::vector<std::vector<Cell>> rows{
      {{"package"}, {"size"}, {"with needed"}, {"and opened"}, {"and included"}}};
  std::string reasons;
  for (const std::string& request : all ? all_requests(root) : options.requests) {
    const auto chosen = chosen_files(root, request);
    if (!chosen)
      return tl::unexpected(chosen.error());
    const FileClosure closure = relations.closure(*chosen);
    closures.push_back(closure_json(root, request, closure));
    rows.push_back({{request},
                    {hostpin::options::amount_text(closure.chosen)},
                    {hostpin::options::amount_text(closure.needed)},
                    {hostpin::options::amount_text(closure.opened)},
                    {hostpin::options::amount_text(closure.included)}});
    if (const std::string parts = all ? "" : parts_text(root, closure, context.terminal); !parts.empty())
      reasons += request + ":\n" + parts;
  }
  const std::string text = options.json ? json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n'
                                        : columns(rows, context.terminal) + reasons;
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_clean;
}

} // namespace

Result<int> run_closure(const Context& context, Arguments arguments) {
  return run_with(context, closure_options(arguments), closure);
}

} // namespace hostpin::redist
