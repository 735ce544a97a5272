// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "wrapper/matrix/decide.hpp"
#include "wrapper/matrix/plan.hpp"
#include "wrapper/matrix/result.hpp"

#include <string>
#include <utility>
#include <vector>

namespace hostpin::matrix {

/// The results below a directory, with their files' paths relative to it, sorted by those. `damaged`: those
/// that cannot be read, and why; they count as missing.
struct Results {
  std::vector<std::pair<std::string, CellResult>> results;
  std::vector<Error> damaged;
};
Results load_results(const Files& files, const std::string& directory);

/// The plan of a description: which cells there are, what is decided about their bindings, and, if `results`
/// is not empty, which of them have a stored result there that still holds. Damaged results are reported in
/// `notes`.
Plan make_plan(const Description& description, Cover cover, const std::string& results, Decisions& decisions,
               const Environment& environment, const Files& files, std::vector<std::string>& notes);

/// The variables that a project's commands get from the caller, in the order of the key.
std::vector<std::pair<std::string, std::string>> asked_variables(const Project& project,
                                                                 const Environment& environment);

} // namespace hostpin::matrix
