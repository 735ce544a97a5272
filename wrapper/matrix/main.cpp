// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/program.hpp"
#include "wrapper/matrix/commands.hpp"

#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

using namespace hostpin;
using namespace hostpin::matrix;

struct Command : options::Subcommand {
  Result<int> (*run)(const Context&, Arguments);
};

constexpr Command commands[] = {
    {{"plan", "decide which cells have to run"}, run_plan},
    {{"run", "run one cell"}, run_run},
    {{"merge", "merge the results of cells"}, run_merge},
    {{"diff", "what is broken or fixed between two merged results, and why"}, run_diff},
    {{"notify", "messages about that for those who subscribed to its cells or causes"}, run_notify},
    {{"bisect", "which commits broke the cells that fail at one revision and pass at another"}, run_bisect},
    {{"emit", "a plan as a file of make, Slurm, Nix, GitHub, GitLab, Forgejo or Buildbot"}, run_emit},
    {{"answer", "values in what the API of a CI service answered, for the pipelines of emit"}, run_answer},
};

Result<int> run(Arguments arguments, const Environment& environment) {
  const Terminal terminal(false, terminal_width(environment, STDOUT_FILENO));
  TRY_ASSIGN(const auto chosen,
             options::find_command<Command>(
                 "A matrix of toolkits, compilers, GPUs and projects: what a change breaks, and why.",
                 "matrix", commands, arguments, terminal.width()));
  if (chosen == nullptr)
    return exit_fine;
  const DiskFiles files;
  const HostProcesses processes;
  TRY_ASSIGN(auto data, options::installed_data());
  const std::string prefix = data.substr(0, data.size() - std::string_view("/share/hostpin/data").size());
  return chosen->run(
      {environment, files, processes, data, prefix + "/bin/hostpin", prefix + "/libexec/hostpin", terminal},
      arguments.subspan(1));
}

} // namespace

int main(int argc, char** argv, char** envp) {
  const Environment environment = Environment::from(envp);
  return options::run_program(argc, argv, exit_unknown,
                              [&](Arguments arguments) { return run(arguments, environment); });
}
