// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/command/commands.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/options/program.hpp"

#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace hostpin;
using namespace hostpin::wheel;

struct Command : options::Subcommand {
  Result<int> (*run)(const Context&, Arguments);
};

constexpr Command commands[] = {
    {{"check", "whether a wheel is what it says, and loads once it is installed"}, run_check},
    {{"repair", "write a wheel that loads what it needs, with the tags and requirements that it has to have"},
     run_repair},
    {{"diff", "what differs between two wheels"}, run_diff},
    {{"select", "experimental: which wheel of a directory an installer takes for a GPU, and what it lacks"},
     run_select},
    {{"split", "experimental: variants of a wheel, one for each GPU"}, run_split},
};

Result<int> run(Arguments arguments, const Environment& environment) {
  const Terminal terminal(false, terminal_width(environment, STDOUT_FILENO));
  const auto chosen =
      options::find_command<Command>("CUDA wheels: checked, repaired, compared, split by GPU, selected.",
                                     "wheel", commands, arguments, terminal.width());
  if (!chosen)
    return tl::unexpected(chosen.error());
  if (*chosen == nullptr)
    return exit_clean;
  const DiskFiles files;
  TRY_ASSIGN(auto data, options::installed_data());
  return (*chosen)->run({files, std::move(data), terminal, environment}, arguments.subspan(1));
}

} // namespace

int main(int argc, char** argv, char** envp) {
  const Environment environment = Environment::from(envp);
  return options::run_program(argc, argv, exit_failed,
                              [&](Arguments arguments) { return run(arguments, environment); });
}
