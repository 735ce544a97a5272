// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/response.hpp"
#include "wrapper/plan/plan.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace hostpin::cxx {

/// What a link needs so that its output searches the plan's directories, after the run paths of the call.
///
/// First those of `run_path` that the call does not name. Then `driver_directories`, in that order, unless a
/// run path of the call is one of them (the user has decided then). With them all are a DT_RPATH, which also
/// applies to the `dlopen` of a shared runtime, unless the call selects a tag itself.
///
/// Empty if the plan has none, and for -r and static programs. `arguments`: of a link; `run_path_variable`:
/// LD_RUN_PATH, which linkers read only if there is no -rpath. The result points into the plan and that
/// variable, each ending before a NUL.
std::vector<const char*> run_path_arguments(const plan::Plan& plan,
                                            std::span<const std::string_view> arguments,
                                            std::string_view run_path_variable,
                                            const cmdline::ArgumentFiles& files);

} // namespace hostpin::cxx
