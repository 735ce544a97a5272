// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/command/commands.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/nearest.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
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
    {"diff", "what differs between two wheels", run_diff},
};

int give_up(const Error& error) {
  std::string text = "hostpin: error: " + error.message + '\n';
  if (!error.hint.empty())
    text += "hint: " + error.hint + '\n';
  print_error(text);
  return exit_failed;
}

/// <prefix>/share/hostpin/data for <prefix>/libexec/hostpin/wheel.
Result<std::string> data_directory() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return failure("cannot find the directory of this program: /proc/self/exe: " + error.message());
  return (program.parent_path().parent_path().parent_path() / "share/hostpin/data").string();
}

tl::unexpected<Error> unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty())
    return options::misuse(app, "wheel needs a command");
  std::vector<std::string> known;
  for (const Subcommand& one : subcommands)
    known.emplace_back(one.name);
  Error error = options::misuse(app, "wheel has no command '" + escaped(words.front()) + "'").value();
  if (const std::string near = nearest(words.front(), known); !near.empty())
    error.hint = "did you mean " + near + "? " + error.hint;
  return tl::unexpected(std::move(error));
}

Result<int> run(Arguments arguments, const Environment& environment) {
  const Terminal terminal(false, terminal_width(environment, STDOUT_FILENO));
  const std::string_view first = arguments.empty() ? "" : arguments.front();
  const auto* const chosen = std::ranges::find(subcommands, first, &Subcommand::name);
  if (chosen != std::end(subcommands)) {
    const DiskFiles files;
    auto data = data_directory();
    if (!data)
      return tl::unexpected(data.error());
    return chosen->run({files, *std::move(data), terminal}, arguments.subspan(1));
  }
  CLI::App app{"CUDA wheels: whether they are what they say, and what differs between two.", "hostpin wheel"};
  options::add_usage(app, {"COMMAND [ARGUMENT]..."});
  for (const Subcommand& one : subcommands)
    app.add_subcommand(std::string(one.name), one.description)->prefix_command()->set_help_flag();
  const auto operands = options::read_options(app, arguments);
  if (!operands)
    return tl::unexpected(operands.error());
  if (operands->help.empty())
    return unknown_command(app, operands->words);
  std::fputs(options::wrapped_help(operands->help, terminal.width()).c_str(), stdout);
  return exit_clean;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  keep_standard_streams();
  const Environment environment = Environment::from(envp);
  Result<int> code = exit_failed;
  const auto written = written_whole([&] {
    code = run({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)}, environment);
    return exit_clean;
  });
  if (!code)
    return give_up(code.error());
  return written ? *code : give_up(written.error());
}
