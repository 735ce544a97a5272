// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/gpus/expansion.hpp"
#include "toolchains/survey/request.hpp"
#include "toolchains/toolkit/toolkit.hpp"
#include "wrapper/command/context.hpp"

#include <optional>
#include <string>

namespace hostpin::command {

/// Finds only the toolkit: no compiler needs to be judged for a list of GPUs.
Result<Toolkit> toolkit_of(const Context& context, const Request& given);

/// Expands a list for a toolkit of that version, or for none; `native` queries this machine's NVIDIA driver.
/// `named`: how the toolkit was named on the command line, for hints. `target`: of a toolkit for another
/// machine, whose GPUs are Jetsons or are not.
Result<gpus::GpuExpansion> expanded(const Context& context, const std::vector<gpus::Gpu>& gpus,
                                    const std::string& list, std::optional<Version> toolkit,
                                    bool forward_compatible, const std::optional<std::string>& named = {},
                                    const std::optional<ToolkitTarget>& target = {});

} // namespace hostpin::command
