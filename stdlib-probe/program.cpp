// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/program.hpp"

#include "stdlib-probe/shelter.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::probe {

int print_help(const ProbeContext& context, const std::string& help) {
  fmt::print("{}", options::wrapped_help(help, context.terminal.width()));
  return probe_fine;
}

namespace {

int run(int argc, char** argv, char** envp, std::span<const Subcommand> subcommands) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const auto found = std::ranges::find(subcommands, name, &Subcommand::name);
  if (found == subcommands.end()) {
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
  // <prefix>/libexec/hostpin/PROGRAM belongs to <prefix>/share/hostpin/data.
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

int probe_main(int argc, char** argv, char** envp, std::span<const Subcommand> subcommands) {
  const auto code = written_whole([&] { return run(argc, argv, envp, subcommands); });
  if (code)
    return *code;
  report(code.error());
  return probe_failed;
}

} // namespace hostpin::probe
