// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/options.hpp"
#include "toolchains/options/program.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/json.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace hostpin;
using namespace hostpin::redist;

struct Subcommand {
  std::string_view name;
  const char* description;
  Result<int> (*run)(const Context&, Arguments);
};

constexpr Subcommand subcommands[] = {
    {"check", "checks manifests, lists of releases, locks and composed toolkits", run_check},
    {"closure", "what packages of a toolkit need, with sizes and reasons", run_closure},
    {"compose", "a toolkit from the archives of a lock", run_compose},
    {"diff", "what differs between two manifests or locks, and what breaks", run_diff},
    {"emit", "the archives of a lock for Nix, Bazel, CMake, Spack and conda, and as SPDX", run_emit},
    {"features", "a feature manifest: what is in the archives, verified first", run_features},
    {"fetch", "downloads and unpacks the archives of a lock into a store", run_fetch},
    {"lock", "selects archives of manifests, with their hashes, in one file", run_lock},
    {"rules", "every rule of `check`: what it means, and what to do", run_rules},
};

void add_subcommands(CLI::App& app) {
  for (const Subcommand& one : subcommands)
    app.add_subcommand(std::string(one.name), one.description)->prefix_command()->set_help_flag();
}

Result<int> run_subcommand(const Subcommand& chosen, Arguments arguments, char** envp) {
  const Environment environment = Environment::from(envp);
  const DiskFiles files;
  HostProcesses::Limits limits;
  limits.output = largest_document; // of redist-fetch
  const HostProcesses processes(limits);
  auto data = options::installed_data();
  if (!data)
    return tl::unexpected(data.error());
  const bool colours =
      ::isatty(STDOUT_FILENO) != 0 && !environment["NO_COLOR"] && environment["TERM"] != "dumb";
  return chosen.run({environment, files, processes, *std::move(data),
                     Terminal(colours, terminal_width(environment, STDOUT_FILENO))},
                    arguments);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Subcommand& one : subcommands)
    all.emplace_back(one.name);
  return all;
}

Result<int> run(Arguments arguments, char** envp) {
  const std::string_view first = arguments.empty() ? "" : arguments.front();
  const auto chosen = std::ranges::find(subcommands, first, &Subcommand::name);
  if (chosen != std::end(subcommands))
    return run_subcommand(*chosen, arguments.subspan(1), envp);
  CLI::App app{
      "NVIDIA's redistributables: manifests checked and locked, archives fetched, toolkits composed.",
      "hostpin redist"};
  options::add_usage(app, {"COMMAND [ARGUMENT]..."});
  add_subcommands(app);
  const auto operands = options::read_options(app, arguments);
  if (!operands)
    return tl::unexpected(operands.error());
  if (operands->help.empty())
    return options::no_subcommand(app, "redist", operands->words, names());
  const std::string text =
      options::wrapped_help(operands->help, terminal_width(Environment::from(envp), STDOUT_FILENO));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_clean;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  return options::run_program(argc, argv, exit_failed,
                              [&](Arguments arguments) { return run(arguments, envp); });
}
