// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/survey/survey.hpp"
#include "wrapper/command/context.hpp"
#include "wrapper/command/doctor.hpp"

#include <vector>

namespace hostpin {

/// Compiles one small .cu file with the toolkit's own nvcc and every judged compiler, several at a time, in a
/// private temporary directory that is removed afterwards. Empty, with a note on stderr, if no directory
/// could be created.
std::vector<Proof> verify(const Toolkit& toolkit, const Assessment& assessment, const Context& context);

} // namespace hostpin
