// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/cxx/role.hpp"
#include "wrapper/plan/plan.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::hot {

/// What the arguments name, with the archives among the files that -l may mean in the directories of -L and
/// LIBRARY_PATH. The driver's own directories are not looked into.
LinkInputs possible_inputs(std::span<const std::string_view> arguments, const char* const* envp);

/// Links, says why where that fails for want of a newer C++ library, then proves that what was made finds the
/// symbol versions it needs in the libraries it will load; removes it and refuses when it does not. Returns
/// the exit code; dies of the signal that the linker's driver died of. `arguments`: those of the call,
/// `argv`: the command to run.
int link_and_prove(const Plan& plan, const CxxCall& call, const std::vector<const char*>& argv,
                   std::span<const std::string_view> arguments, char* const* envp);

/// Does a call that compiles and links as a user would in two steps, with `cxx`, our `c++`: so the host
/// compiler compiles whatever `-c` gives it, and the link is pinned. Returns the exit code.
int compile_and_link(const std::string& cxx, const Plan& plan, std::span<const std::string_view> arguments,
                     char* const* envp);

} // namespace hostpin::hot
