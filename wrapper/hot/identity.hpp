// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"

#include <optional>
#include <span>

namespace hostpin::hot {

/// Answers nvcc's question who its host compiler is, in that compiler's place and with its very words: the
/// exit code. Nothing, and nothing printed, when the call is anything else, or the compiler has to be asked:
/// there is no record, it may have changed, something in the environment speaks to it, or HOSTPIN_IDENTITY
/// says so.
std::optional<int> answer_identity(const Loaded& loaded, std::span<const char* const> arguments,
                                   char* const* envp);

} // namespace hostpin::hot
