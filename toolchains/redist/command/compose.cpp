// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/compose.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/command/trees.hpp"
#include "toolchains/redist/tree/root_rules.hpp"
#include "toolchains/redist/tree/stubs.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::redist {

namespace {

struct ComposeOptions {
  std::string help;
  std::string lock, directory, store;
  Composition composition;
  bool make_stubs = false, verify = false;
};

/// Groups of outputs that are selected by one name.
void expand_outputs(std::set<std::string>& outputs) {
  if (outputs.contains("dev"))
    outputs.insert({"include", "stubs"});
}

Result<ComposeOptions> compose_options(Arguments arguments) {
  CLI::App app{"Composes a CUDA toolkit from the archives of a lock, in NVIDIA's layout, with a file that "
               "proves where each of its files is from.",
               "hostpin redist compose"};
  options::add_usage(app, {"LOCK DIR --store STORE --host PLATFORM [OPTION]..."});
  ComposeOptions chosen;
  std::vector<std::string> outputs;
  bool unmodified = false;
  app.add_option("--store", chosen.store, "directory that `redist fetch` unpacks archives into")
      ->type_name("STORE");
  app.add_option("--host", chosen.composition.host, "platform of the programs, such as linux-x86_64")
      ->type_name("PLATFORM");
  app.add_option("--target", chosen.composition.targets,
                 "platform of headers and libraries; default: the host's; may be repeated, the first is the "
                 "default target")
      ->type_name("NAME")
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false);
  app.add_option(
         "--outputs", outputs,
         "parts of the archives, such as lib,dev, or of packages, such as libcublas.lib; default: all")
      ->type_name("LIST")
      ->delimiter(',');
  app.add_flag("--unmodified", unmodified, "every file is that of its archive; the default");
  app.add_flag("--patched", chosen.composition.patched,
               "set run paths of libraries with patchelf, and make pkg-config files relocatable");
  app.add_flag("--compat", chosen.composition.compat, "with the libraries of cuda_compat, for older drivers");
  app.add_option("--driver", chosen.composition.driver,
                 "directory of the NVIDIA driver's libraries where programs run")
      ->type_name("DIR");
  app.add_flag("--make-stubs", chosen.make_stubs,
               "make stubs for linking of libraries that only a driver or a Jetson has");
  app.add_flag("--verify", chosen.verify, "compare all files of the store with their archives' hashes first");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<ComposeOptions>(operands);
  if (operands->words.size() != 2)
    return options::misuse(app, "compose needs a lock and a directory");
  if (chosen.store.empty() || chosen.composition.host.empty())
    return options::misuse(app, chosen.store.empty() ? "compose needs --store" : "compose needs --host");
  if (unmodified && chosen.composition.patched)
    return options::misuse(app, "--unmodified and --patched exclude each other");
  chosen.lock = operands->words[0];
  chosen.directory = operands->words[1];
  if (chosen.composition.targets.empty())
    chosen.composition.targets.push_back(chosen.composition.host);
  for (auto one = chosen.composition.targets.begin(); one != chosen.composition.targets.end(); ++one)
    if (std::find(chosen.composition.targets.begin(), one, *one) != one)
      return options::misuse(app, "--target " + escaped(*one) + " is given twice");
  chosen.composition.outputs = {outputs.begin(), outputs.end()};
  expand_outputs(chosen.composition.outputs);
  if (chosen.make_stubs && !chosen.composition.outputs.empty() &&
      !chosen.composition.outputs.contains("stubs"))
    return options::misuse(app, "--make-stubs needs the output stubs, which --outputs leaves out");
  const std::string& driver = chosen.composition.driver;
  // A colon separates directories of run paths, a dollar sign begins a variable in them.
  if (!driver.empty() &&
      (!driver.starts_with('/') || driver.find_first_of(":$,\n") != std::string::npos || !is_utf8(driver)))
    return options::misuse(app, "--driver " + escaped(driver) + " is not an absolute path for run paths");
  if (std::filesystem::path(driver + '/').parent_path().filename() == "stubs")
    return options::misuse(app, "--driver " + escaped(driver) + " has stubs, which programs must not load");
  return chosen;
}

Result<void> check_outputs(const std::set<std::string>& outputs, const ContentFacts& facts) {
  const std::set<std::string> names = output_names(facts);
  for (const std::string& output : outputs)
    if (output.starts_with('.') || !names.contains(output.substr(output.rfind('.') + 1)))
      return failure("there is no output " + escaped(output), "the outputs are " + joined(names));
  return {};
}

/// A package that is named with an output is one of the lock.
Result<void> check_packages(const RootPlan& plan, const std::set<std::string>& outputs) {
  for (const std::string& output : outputs) {
    const std::string package =
        output.substr(0, output.rfind('.') == std::string::npos ? 0 : output.rfind('.'));
    if (!package.empty() && std::ranges::none_of(plan.origin.archives, [&](const LockedArchive& archive) {
          return archive.package == package;
        }))
      return failure("the lock has no package " + escaped(package) +
                         " for these platforms, which --outputs names",
                     "lock it too, or omit " + escaped(output));
  }
  return {};
}

std::string conflicts_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& one : findings)
    text += "\n  " + escaped(one.file) + ": " + one.explanation + " [" + std::string(text_of(one.rule).name) +
            ']';
  return text;
}

/// Stubs are for linking, so their libraries are expected where programs run.
Result<void> add_stubs(RootPlan& plan, const TreeFacts& facts) {
  TRY_ASSIGN(auto names, make_stubs(plan, facts));
  std::vector<std::string>& expected = plan.origin.expected_at_run;
  names.insert(expected.begin(), expected.end());
  expected.assign(names.begin(), names.end());
  return {};
}

std::string summary(const Composed& composed, const ComposeOptions& options) {
  const auto& origin = composed.origin;
  if (composed.was_there)
    return "hostpin: " + options.directory + " is up to date: " + describe(origin) + '\n';
  std::string text = "hostpin: " + options.directory + ": " + describe(origin) + ": " +
                     std::to_string(composed.linked) + " files linked, " + std::to_string(composed.copied) +
                     " copied, " + std::to_string(composed.made) + " links and texts made\n";
  if (!origin.expected_at_run.empty()) {
    text += "hostpin: expected where programs run:";
    for (const std::string& name : origin.expected_at_run)
      text += ' ' + name;
    text += '\n';
  }
  const std::string root = std::filesystem::absolute(options.directory).lexically_normal().string();
  if (const auto path = driver_path(origin, root); !path.empty()) {
    text += "hostpin: bound toolchains add to links, others need: -Wl,--disable-new-dtags";
    for (const std::string& directory : path)
      text += ",-rpath," + directory;
    text += '\n';
  }
  return text;
}

Result<int> compose(const Context& context, const ComposeOptions& options) {
  TRY_ASSIGN(const auto facts, load_tree_facts(context.files, context.data));
  TRY(check_outputs(options.composition.outputs, facts.content));
  TRY_ASSIGN(auto plan,
             planned_root(context, facts, options.lock, options.store, options.composition, options.verify));
  if (!plan.findings.empty())
    return failure("the archives do not fit together:" + conflicts_text(plan.findings),
                   "leave one of the packages out with `hostpin redist lock --packages`");
  TRY(check_packages(plan, options.composition.outputs));
  plan.origin.expected_at_run = expected_at_run(Root::of_plan(plan), facts.compose);
  if (options.make_stubs)
    TRY(add_stubs(plan, facts));
  const auto patch = [&](const std::string& root, const RootPlan& pieces, std::vector<std::string>& changed) {
    return patch_run_paths(root, pieces, context.processes, changed);
  };
  TRY_ASSIGN(const auto composed, write_root(plan, options.directory, {sha256_of_file, sha256_of}, patch));
  print_error(summary(composed, options));
  return exit_clean;
}

} // namespace

Result<int> run_compose(const Context& context, Arguments arguments) {
  return run_with(context, compose_options(arguments), compose);
}

} // namespace hostpin::redist
