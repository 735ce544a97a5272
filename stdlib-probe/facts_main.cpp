// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/program.hpp"

#include <array>

namespace {

using namespace hostpin::probe;

constexpr auto subcommands = std::to_array<Subcommand>({
    {"facts", "the standard library of a compiler, or of headers alone", run_facts, 5},
    {"why", "which lines of a source need which symbols of libstdc++", run_why, 0},
});

} // namespace

int main(int argc, char** argv, char** envp) {
  return probe_main(argc, argv, envp, subcommands);
}
