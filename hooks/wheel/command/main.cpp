// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/command/commands.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/options/program.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace hostpin;
using namespace hostpin::wheel;

struct Subcommand {
  std::string_view name;
  const char* description;
  Result<int> (*run)(const Context&, Arguments);
};

constexpr Subcommand subcommands[] = {
    {"check", "whether a wheel is what it says, and loads once it is installed", run_check},
    {"repair", "write a wheel that loads what it needs, with the tags and requirements that it has to have",
     run_repair},
    {"diff", "what differs between two wheels", run_diff},
    {"select", "which wheel of a directory an installer takes for a GPU, and what it lacks", run_select},
    {"split", "variants of a wheel, one for each GPU", run_split},
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
    auto data = options::installed_data();
    if (!data)
      return tl::unexpected(data.error());
    return chosen->run({files, *std::move(data), terminal, environment}, arguments.subspan(1));
  }
  CLI::App app{"CUDA wheels: checked, repaired, compared, split by GPU, selected.", "hostpin wheel"};
  options::add_usage(app, {"COMMAND [ARGUMENT]..."});
  for (const Subcommand& one : subcommands)
    app.add_subcommand(std::string(one.name), one.description)->prefix_command()->set_help_flag();
  const auto operands = options::read_options(app, arguments);
  if (!operands)
    return tl::unexpected(operands.error());
  if (operands->help.empty())
    return options::no_subcommand(app, "wheel", operands->words, names());
  std::fputs(options::wrapped_help(operands->help, terminal.width()).c_str(), stdout);
  return exit_clean;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  const Environment environment = Environment::from(envp);
  return options::run_program(argc, argv, exit_failed,
                              [&](Arguments arguments) { return run(arguments, environment); });
}
