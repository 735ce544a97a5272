// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/compiler/compiler.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/command/json_text.hpp"
#include "wrapper/command/prediction.hpp"

// What `doctor --json` and `explain --json` share; the schema is in wrapper/command/README.md.

namespace hostpin::command {

Json compiler_json(const Compiler& compiler);

/// Which program `nvcc` is here, and what names its host compiler.
Json call_json(const Prediction& prediction);

/// What compiles and links, or why there is no decision.
Json selection_json(const Result<bind::Binding>& decided);

} // namespace hostpin::command
