// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/tools.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A text that was the answer to the question, as long as the files it rests on are what they were.
std::optional<std::string> recall(const LinkTools& tools, const std::vector<std::string>& question);

/// Keeps it, unless one of the files changed so recently that a further change could go unnoticed.
void remember(const LinkTools& tools, const std::vector<std::string>& question, std::string_view text,
              const std::vector<std::string>& rests_on);

} // namespace hostpin
