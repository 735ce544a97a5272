// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/cxx/role.hpp"
#include "wrapper/plan/plan.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::hot {

/// The named inputs, and the archives among the files that -l may select in the directories of -L and
/// LIBRARY_PATH. The compiler driver's own directories are not searched.
LinkInputs possible_inputs(std::span<const std::string_view> arguments, const char* const* envp);

/// Links; if that fails because the C++ library is too old, explains it. Then verifies that the output finds
/// the symbol versions it needs in the libraries it will load; if not, removes it and refuses. Returns the
/// exit code; dies of the signal that killed the linker's driver. `arguments`: those of the call, `argv`: the
/// command to run.
int link_and_prove(const Plan& plan, const CxxCall& call, const std::vector<const char*>& argv,
                   std::span<const std::string_view> arguments, char* const* envp);

/// Runs a call that compiles and links as two steps, with `cxx`, hostpin's `c++`: so the host compiler
/// compiles with `-c`, and the link is pinned. Returns the exit code.
int compile_and_link(const std::string& cxx, const Plan& plan, std::span<const std::string_view> arguments,
                     char* const* envp);

} // namespace hostpin::hot
