// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/programs.hpp"

#include <algorithm>
#include <iterator>

namespace hostpin::command {

namespace {

constexpr InstalledProgram installed_programs[] = {
    {"fatbin", "devicecode", "which device code files contain, for which GPUs, and its size"},
    {"leak-check", "checks", "references to the wrong libraries and paths in what was built and installed"},
    {"lto-check", "core",
     "whether link-time code in objects and archives fits the linker that would read it"},
    {"matrix", "matrix", "what a change breaks: cells of compilers, GPUs and projects, run and compared"},
    {"redist", "redist", "NVIDIA's redistributables: check, lock, fetch, compose"},
    {"report", "report", "all results as one page for a browser: verdicts, the binding, LTO, leaks"},
    {"setup", "setup", "fetch what is missing into a directory, without root, and bind it"},
    {"slices", "devicecode", "what each source and GPU cost; its tasks for make, Slurm and Nix"},
    {"stdlib-probe", "core", "what the headers of a standard library, a C library or a toolkit contain"},
    {"wheel", "wheel", "CUDA wheels: checked, compared, split by GPU, selected"},
};

} // namespace

const InstalledProgram* installed_program(std::string_view command) {
  const auto found =
      std::ranges::find(installed_programs, command, [](const InstalledProgram& each) { return each.name; });
  return found == std::end(installed_programs) ? nullptr : &*found;
}

} // namespace hostpin::command
