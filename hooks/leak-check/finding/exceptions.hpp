// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// Findings of one kind that are known and accepted.
struct Exception {
  std::optional<Rule> rule; ///< nothing: any
  std::string path;         ///< glob; empty: any
  std::string reference;    ///< glob; empty: any
  std::string reason;       ///< never empty
  unsigned line = 0;        ///< in its file, from 1
  std::uint64_t used = 0;   ///< findings that it removed
};

/// Reads `[[exception]]` tables with `rule` (a name, or `*`), `path`, `reference` and `reason`. `reason` is
/// required, and so is one of the others: an exception that matches everything is an error, as is an unknown
/// rule or key.
Result<std::vector<Exception>> read_exceptions(const Files& files, const std::string& path);

/// Whether an exception matches the finding; counts it for the first one that does.
bool accept(std::vector<Exception>& exceptions, const Finding& finding);

/// Whether the whole path matches: `*` is anything within one component, `**` anything, `?` one character
/// except a slash; other characters match themselves. Takes time linear in both for each `**`.
bool fits(std::string_view glob, std::string_view text);

} // namespace hostpin::leak
