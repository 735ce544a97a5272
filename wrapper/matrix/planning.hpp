// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "wrapper/matrix/decide.hpp"
#include "wrapper/matrix/plan.hpp"
#include "wrapper/matrix/revisions.hpp"

#include <string>
#include <utility>
#include <vector>

namespace hostpin::matrix {

struct PlanTerms {
  Cover cover = Cover::all;
  std::string results; ///< directory of stored results; empty: none
  /// What differs between the revision of those results and that of the sources, to say why cells run; empty:
  /// not known.
  std::vector<TreeChange> changed{};
};

/// The plan of a description: which cells there are, what is decided about their bindings, and which of them
/// have a stored result that still holds. Damaged results are reported in `notes`.
Plan make_plan(const Description& description, const PlanTerms& terms, Decisions& decisions,
               const Environment& environment, const Files& files, std::vector<std::string>& notes);

/// Where a source is in its repository: a relative path, `.` for the top; empty: it is in none.
std::string place_in_repository(const std::string& source);

/// That of the first project that is in one.
Result<Repository> repository_of(const std::vector<Project>& projects);

/// The projects with the sources of a commit, which is checked out in `directory`. Those that are not in the
/// repository stay where they are.
Result<std::vector<Project>> projects_at(std::vector<Project> projects, const Repository& repository,
                                         const std::string& commit, const std::string& directory);

/// The variables that a project's commands get from the caller, in the order of the key.
std::vector<std::pair<std::string, std::string>> asked_variables(const Project& project,
                                                                 const Environment& environment);

} // namespace hostpin::matrix
