// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/tools.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The output of a compiler driver or nvcc that is called with that option too (-###, -dryrun), cached with
/// the files that the answer depends on. An error if the program does not exist or fails.
Result<std::string> driver_answer(const std::vector<std::string>& command, const char* option,
                                  const LinkTools& tools);

/// The lines of such an answer that begin with a mark, without it.
std::vector<std::string_view> marked(std::string_view text, std::string_view mark);

} // namespace hostpin
