// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"
#include "toolchains/base/files.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace hostpin {

/// One answer as JSON, as README.md describes it. `asked` is when asking began, in nanoseconds since the
/// epoch: a file changed since then may not be the one that was read, so it never counts as unchanged.
std::string facts_json(const Facts& facts, const Files& files, std::int64_t asked);

/// One JSON object of several answers under `list`, with what all of them rest on.
std::string facts_list_json(const char* list, std::span<const std::string> answers,
                            std::span<const Error> refused);

/// Answers for a person: one is spread over lines, several are rows of a table.
std::string facts_text(std::span<const std::string> answers);

} // namespace hostpin
