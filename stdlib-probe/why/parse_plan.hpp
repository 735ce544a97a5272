// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/compile_command.hpp"
#include "stdlib-probe/why/invocation.hpp"
#include "stdlib-probe/why/syntax.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// How Clang parses the source of a compile command, so that headers declare the same as for the compiler of
/// that command; `compiler` is null if nothing is known about it. `system`: its default include
/// directories. `resources`: the directory whose `include` has Clang's own headers.
ParsePlan parse_plan(const Invocation& invocation, const CompileCommand& command, const Compiler* compiler,
                     std::vector<std::string> system, const std::string& resources);

} // namespace hostpin
