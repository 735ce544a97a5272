// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/program.hpp"

#include "toolchains/base/error_report.hpp"
#include "toolchains/base/nearest.hpp"
#include "toolchains/base/own_path.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::options {

namespace {

tl::unexpected<Error> no_subcommand(const CLI::App& app, const std::string& program,
                                    const std::vector<std::string>& words,
                                    const std::vector<std::string>& known) {
  if (words.empty())
    return misuse(app, program + " needs a command");
  Error error = misuse(app, program + " has no command '" + escaped(words.front()) + "'").value();
  if (const std::string near = nearest(words.front(), known); !near.empty())
    error.hint = "did you mean " + near + "? " + error.hint;
  return tl::unexpected(std::move(error));
}

} // namespace

Error absent_component(const std::string& what, const std::string& component) {
  return {what + " is in the component " + component + ", which is not installed",
          "install the package hostpin-" + component +
              ", or build it: ./bootstrap build, or cmake -DHOSTPIN_COMPONENTS=" + component};
}

int run_program(int argc, const char* const* argv, int failed,
                const std::function<Result<int>(std::span<const char* const>)>& run) {
  keep_standard_streams();
  Result<int> code = failed;
  const auto written = written_whole([&] {
    code = run({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
    return 0;
  });
  if (!code || !written)
    print_failure(code ? written.error() : code.error());
  return code && written ? *code : failed;
}

Result<std::string> installed_data() {
  const std::filesystem::path program = own_path();
  if (program.empty())
    return failure("cannot find the directory of this program");
  return (program.parent_path().parent_path().parent_path() / "share/hostpin/data").string();
}

Result<std::optional<std::size_t>> find_subcommand(const char* description, const std::string& program,
                                                   std::span<const Subcommand> known,
                                                   std::span<const char* const> arguments,
                                                   std::size_t width) {
  const std::string_view first = arguments.empty() ? "" : arguments.front();
  const auto chosen = std::ranges::find_if(known, [&](const Subcommand& one) { return one.name == first; });
  if (chosen != known.end())
    return static_cast<std::size_t>(chosen - known.begin());
  CLI::App app{description, "hostpin " + program};
  add_usage(app, {"COMMAND [ARGUMENT]..."});
  std::vector<std::string> names;
  for (const Subcommand& one : known) {
    app.add_subcommand(one.name, one.description)->prefix_command()->set_help_flag();
    names.emplace_back(one.name);
  }
  TRY_ASSIGN(const auto operands, read_options(app, arguments));
  if (operands.help.empty())
    return no_subcommand(app, program, operands.words, names);
  std::fputs(wrapped_help(operands.help, width).c_str(), stdout);
  return std::nullopt;
}

} // namespace hostpin::options
