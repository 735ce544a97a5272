// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/tools.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What a compiler driver or nvcc says when it is called with that option too (-###, -dryrun), remembered by
/// the files that the answer rests on. An error when it is not there or fails.
Result<std::string> driver_answer(const std::vector<std::string>& command, const char* option,
                                  const LinkTools& tools);

/// The lines of such an answer that a mark begins, without it.
std::vector<std::string_view> marked(std::string_view text, std::string_view mark);

} // namespace hostpin
