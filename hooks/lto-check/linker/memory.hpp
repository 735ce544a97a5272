// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/tools.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The cached answer to the question, if the files that it depends on have not changed.
std::optional<std::string> recall(const LinkTools& tools, const std::vector<std::string>& question);

/// Limits of the cache: answers and bytes. Each answer has some KB, but nvcc repeats its inputs.
inline constexpr std::size_t most_answers = 512;
inline constexpr std::uint64_t most_answer_bytes = std::uint64_t{32} << 20U;

/// Caches an answer in place of the oldest ones, unless one of the files changed so recently that a further
/// change could go unnoticed.
void remember(const LinkTools& tools, const std::vector<std::string>& question, std::string_view text,
              const std::vector<std::string>& rests_on);

} // namespace hostpin
