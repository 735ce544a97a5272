// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/program.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/options/program.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace hostpin;
using namespace hostpin::probe;

/// Becomes the program of the component `checks` that has the subcommand.
int run_elsewhere(const char* subcommand, const ProbeContext& context,
                  std::span<const char* const> arguments) {
  const std::string program =
      (std::filesystem::path(context.resources).parent_path() / "stdlib-facts").string();
  std::vector<const char*> words{program.c_str(), subcommand};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.push_back(nullptr);
  // POSIX guarantees that the strings are not changed; its signature predates const.
  execv(program.c_str(), const_cast<char* const*>(words.data()));
  if (errno == ENOENT)
    report(options::absent_component(std::string("hostpin stdlib-probe ") + subcommand, "checks"));
  else
    report(os_failure("run " + program, errno, "install it again: cmake --install BUILD --prefix PREFIX")
               .value());
  return probe_failed;
}

int run_facts_elsewhere(const ProbeContext& context, std::span<const char* const> arguments) {
  return run_elsewhere("facts", context, arguments);
}

int run_why_elsewhere(const ProbeContext& context, std::span<const char* const> arguments) {
  return run_elsewhere("why", context, arguments);
}

int run_help(const ProbeContext& context, std::span<const char* const> arguments);

constexpr auto subcommands = std::to_array<Subcommand>({
    {"gate", "which host compilers a toolkit accepts, from its own header", run_gate, 5},
    {"facts", "the standard library of a compiler, or of headers alone", run_facts_elsewhere, 0},
    {"libc", "whether a C library and a toolkit declare functions compatibly", run_libc, 5},
    {"why", "which lines of a source need which symbols of libstdc++", run_why_elsewhere, 0},
    {"--help", "this text", run_help, 0},
});

int run_help(const ProbeContext& /*context*/, std::span<const char* const> /*arguments*/) {
  fmt::print("usage: hostpin stdlib-probe SUBCOMMAND ARGUMENTS...\n\n");
  for (const Subcommand& subcommand : subcommands)
    fmt::print("  {:8} {}\n", subcommand.name, subcommand.purpose);
  fmt::print("\nSUBCOMMAND --help describes each.\n");
  return probe_fine;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  return probe_main(argc, argv, envp, subcommands);
}
