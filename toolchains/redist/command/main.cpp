// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/document/json.hpp"
#include "toolchains/options/program.hpp"
#include "toolchains/redist/command/commands.hpp"

#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace hostpin;
using namespace hostpin::redist;

struct Command : options::Subcommand {
  Result<int> (*run)(const Context&, Arguments);
};

constexpr Command commands[] = {
    {{"audit", "what of NVIDIA's is in a tree or wheel: unchanged, changed, linked, redistributable"},
     run_audit},
    {{"check", "checks manifests, lists of releases, locks and composed toolkits"}, run_check},
    {{"closure", "what packages of a toolkit need, with sizes and reasons"}, run_closure},
    {{"compose", "a toolkit from the archives of a lock"}, run_compose},
    {{"diff", "what differs between two manifests or locks, and what breaks"}, run_diff},
    {{"emit", "the archives of a lock for Nix, Bazel, CMake, Spack and conda, and as SPDX"}, run_emit},
    {{"features", "a feature manifest: what is in the archives, verified first"}, run_features},
    {{"fetch", "downloads and unpacks the archives of a lock into a store"}, run_fetch},
    {{"lock", "selects archives of manifests, with their hashes, in one file"}, run_lock},
    {{"needs", "what a build needs of a composed toolkit, seen while it runs"}, run_needs},
    {{"rules", "every rule of `check`: what it means, and what to do"}, run_rules},
};

Result<int> run_command(const Command& chosen, Arguments arguments, const Environment& environment) {
  const DiskFiles files;
  HostProcesses::Limits limits;
  limits.output = document::largest_document; // of redist-fetch
  const HostProcesses processes(limits);
  TRY_ASSIGN(auto data, options::installed_data());
  const bool colours =
      ::isatty(STDOUT_FILENO) != 0 && !environment["NO_COLOR"] && environment["TERM"] != "dumb";
  return chosen.run({environment, files, processes, std::move(data),
                     Terminal(colours, terminal_width(environment, STDOUT_FILENO))},
                    arguments);
}

Result<int> run(Arguments arguments, char** envp) {
  const Environment environment = Environment::from(envp);
  TRY_ASSIGN(
      const auto chosen,
      options::find_command<Command>(
          "NVIDIA's redistributables: manifests checked and locked, archives fetched, toolkits composed.",
          "redist", commands, arguments, terminal_width(environment, STDOUT_FILENO)));
  return chosen == nullptr ? exit_clean : run_command(*chosen, arguments.subspan(1), environment);
}

} // namespace

int main(int argc, char** argv, char** envp) {
  return options::run_program(argc, argv, exit_failed,
                              [&](Arguments arguments) { return run(arguments, envp); });
}
