// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/library/link_search.hpp"

namespace hostpin {

/// Fills in what the link takes: the C++ standard library of the kind that the headers are, libc and
/// libgcc_s. Whatever it does not take is null with the reason.
void take_linked(const Files& files, const cmdline::LinkerCommand& command, Facts& facts);

} // namespace hostpin
