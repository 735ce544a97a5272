// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/nearest.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/json.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
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

int give_up(const Error& error) {
  std::string text = "hostpin: error: " + error.message + '\n';
  if (!error.hint.empty())
    text += "hint: " + error.hint + '\n';
  print_error(text);
  return exit_failed;
}

/// <prefix>/share/hostpin/data for <prefix>/libexec/hostpin/redist.
Result<std::string> data_directory() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return failure("cannot find the directory of this program: /proc/self/exe: " + error.message());
  return (program.parent_path().parent_path().parent_path() / "share/hostpin/data").string();
}

Result<int> run_subcommand(const Subcommand& chosen, Arguments arguments, char** envp) {
  const Environment environment = Environment::from(envp);
  const DiskFiles files;
  HostProcesses::Limits limits;
  limits.output = largest_document; // of redist-fetch
  const HostProcesses processes(limits);
  auto data = data_directory();
  if (!data)
    return tl::unexpected(data.error());
  const bool colours =
      ::isatty(STDOUT_FILENO) != 0 && !environment["NO_COLOR"] && environment["TERM"] != "dumb";
  return chosen.run({environment, files, processes, *std::move(data),
                     Terminal(colours, terminal_width(environment, STDOUT_FILENO))},
                    arguments);
}

tl::unexpected<Error> unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty())
    return options::misuse(app, "redist needs a command");
  std::vector<std::string> known;
  for (const Subcommand& one : subcommands)
    known.emplace_back(one.name);
  Error error = options::misuse(app, "redist has no command '" + escaped(words.front()) + "'").value();
  if (const std::string near = nearest(words.front(), known); !near.empty())
    error.hint = "did you mean " + near + "? " + error.hint;
  return tl::unexpected(std::move(error));
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
    return unknown_command(app, operands->words);
  const std::string text =
      options::wrapped_help(operands->help, terminal_width(Environment::from(envp), STDOUT_FILENO));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_clean;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  keep_standard_streams();
  const Arguments arguments{argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)};
  Result<int> code = exit_failed;
  const auto written = written_whole([&] {
    code = run(arguments, envp);
    return exit_clean;
  });
  if (!code)
    return give_up(code.error());
  return written ? *code : give_up(written.error());
}
