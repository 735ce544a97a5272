// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"

#include <optional>
#include <span>

namespace hostpin::hot {

/// Answers nvcc's query for its host compiler in place of that compiler, with exactly its output: the exit
/// code. Returns nothing, and prints nothing, if the call is anything else, or the compiler has to be run:
/// there is no record, it may be stale, a variable could change the answer, or HOSTPIN_IDENTITY forbids it.
std::optional<int> answer_identity(const Loaded& loaded, std::span<const char* const> arguments,
                                   char* const* envp);

} // namespace hostpin::hot
