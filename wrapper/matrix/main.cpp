// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/options.hpp"
#include "toolchains/options/program.hpp"
#include "wrapper/matrix/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

using namespace hostpin;
using namespace hostpin::matrix;

struct Subcommand {
  std::string_view name;
  const char* description;
  Result<int> (*run)(const Context&, Arguments);
};

constexpr Subcommand subcommands[] = {
    {"plan", "decide which cells have to run", run_plan},
    {"run", "run one cell", run_run},
    {"merge", "merge the results of cells", run_merge},
    {"diff", "what is broken or fixed between two merged results, and why", run_diff},
    {"emit", "a plan as a file of make, Slurm, Nix, GitHub, GitLab or Buildbot", run_emit},
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Subcommand& one : subcommands)
    all.emplace_back(one.name);
  return all;
}

Result<int> run(Arguments arguments, const Environment& environment) {
  const Terminal terminal(false, terminal_width(environment, STDOUT_FILENO));
  const std::string_view first = arguments.empty() ? "" : arguments.front();
  const auto* const chosen = std::ranges::find(subcommands, first, &Subcommand::name);
  if (chosen != std::end(subcommands)) {
    const DiskFiles files;
    const HostProcesses processes;
    auto data = options::installed_data();
    if (!data)
      return tl::unexpected(data.error());
    const std::string prefix = data->substr(0, data->size() - std::string_view("/share/hostpin/data").size());
    return chosen->run({environment, files, processes, *data, prefix + "/bin/hostpin",
                        prefix + "/libexec/hostpin", terminal},
                       arguments.subspan(1));
  }
  CLI::App app{"A matrix of toolkits, compilers, GPUs and projects: what a change breaks, and why.",
               "hostpin matrix"};
  options::add_usage(app, {"COMMAND [ARGUMENT]..."});
  for (const Subcommand& one : subcommands)
    app.add_subcommand(std::string(one.name), one.description)->prefix_command()->set_help_flag();
  const auto operands = options::read_options(app, arguments);
  if (!operands)
    return tl::unexpected(operands.error());
  if (operands->help.empty())
    return options::no_subcommand(app, "matrix", operands->words, names());
  std::fputs(options::wrapped_help(operands->help, terminal.width()).c_str(), stdout);
  return exit_fine;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  const Environment environment = Environment::from(envp);
  return options::run_program(argc, argv, exit_unknown,
                              [&](Arguments arguments) { return run(arguments, environment); });
}
