// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/compile_command.hpp"
#include "stdlib-probe/why/invocation.hpp"
#include "stdlib-probe/why/syntax.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// How Clang is to read the source of a compile command, so that headers say what they say to the compiler of
/// that command; `compiler` is null where nothing is known of it. `system`: where it looks for headers by
/// itself. `resources`: the directory whose `include` has Clang's own headers.
ParsePlan parse_plan(const Invocation& invocation, const CompileCommand& command, const Compiler* compiler,
                     std::vector<std::string> system, const std::string& resources);

} // namespace hostpin
