// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/needs/needs.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/options/progress_line.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/needs/names.hpp"
#include "toolchains/redist/tree/proof.hpp"

#include <cstdio>
#include <filesystem>
#include <limits>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

using Json = nlohmann::ordered_json;

struct NeedsOptions {
  std::string help;
  std::string root, form, output;
  std::vector<std::string> command;
  bool json = false;
};

const RecipeForm* recipe_form(const std::string& name) {
  for (const RecipeForm& form : recipe_forms())
    if (form.name == name)
      return &form;
  return nullptr;
}

Result<NeedsOptions> needs_options(Arguments arguments) {
  CLI::App app{"Runs a build, sees which files it opens of a composed toolkit, and prints the outputs of "
               "packages that it needs, with a reason for each: to build, and where programs run.",
               "hostpin redist needs"};
  options::add_usage(app, {"DIR [--for FORM | --json] [-o FILE] -- COMMAND [ARGUMENT]..."});
  app.footer("The command builds everything from nothing: what is up to date is not seen. Its output goes to "
             "standard error.\nExit code: 0 the list is complete, 1 it may not be, 2 the command failed, or "
             "something could not be read.");
  NeedsOptions chosen;
  std::string forms_text;
  for (const RecipeForm& form : recipe_forms())
    forms_text.append(forms_text.empty() ? "" : "; ").append(form.name).append(": ").append(form.description);
  app.add_option("--for", chosen.form, forms_text)->type_name("FORM");
  app.add_flag("--json", chosen.json, "print JSON");
  app.add_option("-o,--output", chosen.output, "a file; default, and -: standard output")->type_name("FILE");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<NeedsOptions>(operands);
  if (operands->words.size() != 1)
    return options::misuse(app, "needs takes one composed toolkit, then -- and a command");
  if (!operands->after_dashes || operands->after_dashes->empty())
    return options::misuse(app, "needs takes the command of a build after --");
  chosen.root = operands->words.front();
  chosen.command = *operands->after_dashes;
  if (chosen.json && !chosen.form.empty())
    return options::misuse(app, "--json and --for cannot be combined");
  if (!chosen.form.empty() && recipe_form(chosen.form) == nullptr)
    return options::misuse(app, "there is no form " + escaped(chosen.form));
  return chosen;
}

/// Runs the command with what it prints on standard error, and without caches, which would hide what is
/// compiled.
Result<tracing::Trace> traced(const Context& context, const NeedsOptions& options,
                              const std::string& current) {
  tracing::TracedCommand command;
  command.shell = "exec " + shell_words(options.command);
  command.directory = current;
  for (const auto& [name, value] : context.environment.variables())
    if (name != "CCACHE_DISABLE")
      command.variables.push_back(name + '=' + value);
  command.variables.emplace_back("CCACHE_DISABLE=1");
  command.output = std::numeric_limits<std::size_t>::max();
  command.ignored = {"/proc", "/dev", "/sys"};
  tracing::Trace trace;
  TRY_ASSIGN(const auto outcome, tracing::run_traced(command, trace));
  if (outcome.end != tracing::TracedOutcome::End::exited || outcome.code != 0)
    return failure(escaped(options.command.front()) +
                       (outcome.end == tracing::TracedOutcome::End::exited ? " failed with exit code "
                                                                           : " was ended by signal ") +
                       std::to_string(outcome.code) + ", so that it is not known what it needs",
                   "run it until it builds everything, then again from nothing with `redist needs`");
  for (const auto& [path, access] : trace.accessed)
    if (base_name(path) == "nvcc-slices" && (access & static_cast<unsigned>(tracing::Access::content)) != 0)
      trace.uncertain.insert(
          "the binding has --slices, whose store hides the programs that made device code");
  return trace;
}

std::vector<std::vector<Cell>> rows_of(const std::vector<NeededPart>& parts) {
  std::vector<std::vector<Cell>> rows;
  for (const NeededPart& part : parts)
    rows.push_back({{name_of(part)},
                    {std::to_string(part.files) + (part.files == 1 ? " file" : " files")},
                    {options::amount_text(part.bytes)},
                    {escaped(part.why)}});
  return rows;
}

std::string list_text(const char* title, const std::vector<std::string>& names, const Terminal& terminal) {
  const std::string line = joined(names, ", ", escaped);
  return line.empty() ? line : std::string(title) + paragraph(line, terminal, 2, 2);
}

std::string needs_text(const Needs& needs, const Terminal& terminal) {
  std::string text = "to build:\n" + columns(rows_of(needs.build), terminal);
  text += needs.run.empty() ? "where programs run: nothing of the toolkit\n"
                            : "where programs run:\n" + columns(rows_of(needs.run), terminal);
  text += list_text("of the machine where programs run:\n", needs.expected, terminal);
  text += list_text("in no archive of the toolkit:\n", needs.missing, terminal);
  text += list_text("made by hostpin:\n", needs.made, terminal);
  return text + options::amount_text(bytes_of(needs)) + " of " + options::amount_text(needs.whole) + '\n';
}

Json parts_json(const std::vector<NeededPart>& parts) {
  Json list = Json::array();
  for (const NeededPart& part : parts)
    list.push_back({{"package", part.package},
                    {"platform", part.platform},
                    {"output", part.output},
                    {"files", part.files},
                    {"bytes", part.bytes},
                    {"why", part.why}});
  return list;
}

std::string needs_json(const Needs& needs, const tracing::Trace& trace) {
  Json json{{"schema", 1}};
  json["build"] = parts_json(needs.build);
  json["run"] = parts_json(needs.run);
  json["expected_at_run"] = needs.expected;
  json["missing"] = needs.missing;
  json["made"] = needs.made;
  json["bytes"] = bytes_of(needs);
  json["toolkit_bytes"] = needs.whole;
  json["uncertain"] = trace.uncertain;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// Reports why the list may be incomplete.
int print_doubts(const tracing::Trace& trace) {
  for (const std::string& reason : trace.uncertain)
    print_error("hostpin: the list may be incomplete: " + reason + '\n');
  return trace.uncertain.empty() ? exit_clean : exit_found;
}

/// The list in the form that was asked for.
Result<std::string> list_of(const Context& context, const NeedsOptions& options, const Recipe& recipe,
                            const tracing::Trace& trace) {
  if (options.json)
    return needs_json(recipe.needs, trace);
  const RecipeForm* const form = recipe_form(options.form);
  return form != nullptr ? form->text(recipe) : needs_text(recipe.needs, context.terminal);
}

Result<int> needs(const Context& context, const NeedsOptions& options) {
  TRY_ASSIGN(const auto facts, load_tree_facts(context.files, context.data));
  TRY_ASSIGN(const auto names, load_package_names(context.files, context.data));
  TRY(check_output(options.output));
  if (!is_composed_root(options.root))
    return failure(escaped(options.root) + " is not a composed toolkit: it has no " +
                       std::string(origin_name) + ", so that it is not known which package has its files",
                   "compose one of all packages with `hostpin redist compose`, and build with it");
  TRY_ASSIGN(auto origin, origin_at(options.root));
  std::error_code error;
  const std::string current = std::filesystem::current_path(error).string();
  const std::string directory = std::filesystem::canonical(options.root, error).string();
  if (error)
    return failure("cannot read " + escaped(options.root) + ": " + error.message());
  const Root root = Root::of_directory(directory, std::move(origin));
  TRY_ASSIGN(const auto trace, traced(context, options, current));
  const Needs needs = needs_of(trace, root, directory, current, facts);
  if (needs.build.empty()) {
    print_doubts(trace);
    return failure("the command opened no file of " + escaped(options.root),
                   "build from nothing, with this toolkit: name it with `hostpin bind --toolkit`, or put its "
                   "bin directory first in PATH");
  }
  const auto written =
      list_of(context, options, {needs, root.origin(), names}, trace).and_then([&](const std::string& text) {
        return write_output(options.output, text);
      });
  if (!written) {
    // The build may have taken hours. Standard output is for the form that was asked for.
    print_error(needs_text(needs, context.terminal));
    return tl::unexpected(written.error());
  }
  return print_doubts(trace);
}

} // namespace

Result<int> run_needs(const Context& context, Arguments arguments) {
  return run_with(context, needs_options(arguments), needs);
}

} // namespace hostpin::redist
