// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/library/link_search.hpp"

namespace hostpin {

/// Fills in what the link uses: the C++ standard library that belongs to the headers, libc and
/// libgcc_s. What it does not use is null, with the reason.
void take_linked(const Files& files, const cmdline::LinkerCommand& command, Facts& facts);

} // namespace hostpin
