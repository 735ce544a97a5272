// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/tree/compose_facts.hpp"
#include "toolchains/redist/tree/layout.hpp"

#include <set>
#include <string>

namespace hostpin::redist {

/// Adds stubs for linking to `lib/stubs` of each target: for libraries of the driver and of Jetsons
/// (`ComposeFacts::provider`) that libraries of the plan need, and that it has neither among the libraries
/// nor among the stubs. A stub has the functions that those libraries need: with a version, of the library
/// that it is needed from; without one, what no library has that they load, in the stub of each missing one.
/// Returns the sonames. An error names a library whose symbols cannot be read.
Result<std::set<std::string>> make_stubs(RootPlan& plan, const TreeFacts& facts);

} // namespace hostpin::redist
