// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hostpin {

namespace {

// Prefixes of their names. Launchers find what they run on PATH, and their users' configuration in HOME.
constexpr auto relevant = std::to_array<std::string_view>({"CCACHE_",
                                                           "CCC_",
                                                           "CC_LOG_",
                                                           "CC_PRINT_",
                                                           "CLANG_",
                                                           "COLLECT_",
                                                           "COMPILER_PATH",
                                                           "CONDA_",
                                                           "CPATH",
                                                           "CPLUS_INCLUDE_PATH",
                                                           "C_INCLUDE_PATH",
                                                           "FORCE_CLANG_",
                                                           "GCC_",
                                                           "GLIBC_TUNABLES",
                                                           "HOME",
                                                           "LDFLAGS",
                                                           "LDEMULATION",
                                                           "LD_",
                                                           "LIBRARY_PATH",
                                                           "LLVM_",
                                                           "MACOSX_",
                                                           "NIX_",
                                                           "OBJC_INCLUDE_PATH",
                                                           "PATH",
                                                           "POSIXLY_CORRECT",
                                                           "QA_OVERRIDE_GCC3_OPTIONS",
                                                           "SDKROOT",
                                                           "SOURCE_DATE_EPOCH",
                                                           "SPACK_",
                                                           "SYSROOT"});

bool is_relevant(std::string_view name) {
  return std::any_of(relevant.begin(), relevant.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

} // namespace

std::vector<std::string> relevant_variables(const Environment& environment,
                                            std::span<const std::string> hidden) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment.variables())
    if (is_relevant(name) && std::find(hidden.begin(), hidden.end(), name) == hidden.end())
      variables.push_back(name + '=' + value);
  return variables;
}

} // namespace hostpin
