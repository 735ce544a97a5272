// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/command.hpp"
#include "stdlib-probe/shelter.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::probe {

void report(const Error& error) {
  print_error(fmt::format("hostpin: error: {}\n", error.message));
  if (!error.hint.empty())
    print_error(fmt::format("hint: {}\n", error.hint));
}

int print_help(const ProbeContext& context, const std::string& help) {
  fmt::print("{}", options::wrapped_help(help, context.terminal.width()));
  return probe_fine;
}

} // namespace hostpin::probe

namespace {

using namespace hostpin;
using namespace hostpin::probe;

struct Subcommand {
  std::string_view name;
  std::string_view purpose;
  ProbeCommand* run;
  unsigned patience; ///< seconds of CPU time that headers may take; 0 if a user's own source is read
};

int run_help(const ProbeContext& context, std::span<const char* const> arguments);

constexpr auto subcommands = std::to_array<Subcommand>({
    {"gate", "which host compilers a toolkit accepts, from its own header", run_gate, 5},
    {"facts", "the standard library of a compiler, or of headers alone", run_facts, 5},
    {"libc", "whether a C library and a toolkit declare functions compatibly", run_libc, 5},
    {"why", "which lines of a source need which symbols of libstdc++", run_why, 0},
    {"--help", "this text", run_help, 0},
});

int run_help(const ProbeContext& /*context*/, std::span<const char* const> /*arguments*/) {
  fmt::print("usage: hostpin stdlib-probe SUBCOMMAND ARGUMENTS...\n\n");
  for (const Subcommand& subcommand : subcommands)
    fmt::print("  {:8} {}\n", subcommand.name, subcommand.purpose);
  fmt::print("\nSUBCOMMAND --help describes each.\n");
  return probe_fine;
}

int run(int argc, char** argv, char** envp) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const auto* const found =
      std::find_if(std::begin(subcommands), std::end(subcommands),
                   [&](const Subcommand& subcommand) { return subcommand.name == name; });
  if (found == std::end(subcommands)) {
    report({name.empty() ? "stdlib-probe needs a subcommand" : fmt::format("stdlib-probe has no '{}'", name),
            "hostpin stdlib-probe --help lists them"});
    return probe_failed;
  }
  std::error_code unreadable;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  if (unreadable) {
    report({"cannot find where this program is installed: " + unreadable.message(), "is /proc mounted?"});
    return probe_failed;
  }
  // <prefix>/libexec/hostpin/stdlib-probe belongs to <prefix>/share/hostpin/data.
  const std::filesystem::path home = self.parent_path();
  const Environment environment = Environment::from(envp);
  const DiskFiles files;
  const HostProcesses processes;
  const ProbeContext context{environment,
                             files,
                             processes,
                             (home / "clang").string(),
                             (home.parent_path().parent_path() / "share/hostpin/data").string(),
                             Terminal(false, terminal_width(environment, STDOUT_FILENO))};
  end_instead_of_crashing();
  if (found->patience > 0)
    end_after(found->patience);
  try {
    return found->run(context, {argv + 2, static_cast<std::size_t>(argc - 2)});
  } catch (const Interrupted&) { // if the caller blocks termination signals
    report({"terminated by a signal", {}});
    return probe_failed;
  }
}

} // namespace

int main(int argc, char** argv, char** envp) {
  const auto code = written_whole([&] { return run(argc, argv, envp); });
  if (code)
    return *code;
  report(code.error());
  return probe_failed;
}
