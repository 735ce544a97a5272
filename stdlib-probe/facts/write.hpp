// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/terminal.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hostpin::probe {

/// One answer as JSON, as README.md describes it. `asked` is when the query began, in nanoseconds since the
/// epoch: a file changed since then may not be the file that was read, so it never counts as unchanged.
std::string facts_json(const Facts& facts, const Files& files, std::int64_t asked);

/// Answers as JSON, and the errors of those that failed.
struct Answers {
  std::vector<std::string> given;
  std::vector<Error> refused;
  std::vector<std::string> looked; ///< directories whose content decided what was queried
  std::int64_t asked = 0;          ///< when the query began, as above
};

/// One JSON object of all answers under `list`, with all their dependencies.
std::string facts_list_json(const char* list, const Answers& answers, const Files& files);

/// Answers as text: one is printed on several lines, several are rows of a table.
std::string facts_text(std::span<const std::string> answers, const Terminal& terminal = endless);

} // namespace hostpin::probe
