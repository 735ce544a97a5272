// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "wrapper/matrix/cells.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

/// What is known about a cell before it runs.
enum class Planned {
  run,
  cannot, ///< no binding is possible
  same,   ///< everything that it read when it ran has the same state now
};

/// `run`, `cannot`, `same`.
std::string_view to_string(Planned planned);

/// What `hostpin bind` would decide for a combination of toolkit, stdenv and host compiler.
struct Decided {
  std::string toolkit; ///< its root; empty: there is none
  /// Empty: no binding is possible. Programs and releases of toolkit, host compiler and stdenv, as text; part
  /// of a cell's key.
  std::string text;
  std::string reason, hint; ///< why there is none
  /// Which kind of compiler compiles, if there is a binding: `named` by the cell, the `stdenv`, or `another`.
  /// Not part of `plan.json`.
  std::string host{};
  /// Why the stdenv's linker cannot read link-time code of the host compiler; empty: it can. Not part of
  /// `plan.json`.
  std::string lto{};
  ErrorKind kind = ErrorKind::other; ///< of `reason`
};

struct PlannedCell {
  Cell cell;
  Planned planned = Planned::run;
  Decided decided;
  /// It cannot be bound, and runs all the same, to check that.
  bool is_check = false;
  std::string result; ///< with `same`: name of the file of the stored result, which counts for it
  std::string why{};  ///< with `run`: why no stored result counts, as text; empty: there were none
  std::vector<std::string> outdated{}; ///< keys of its stored results that do not hold
};

/// What to run. As a directory: `plan.json`.
struct Plan {
  std::string name;
  std::vector<Project> projects;
  std::vector<PlannedCell> cells;
  std::string results; ///< directory of the stored results that it was compared with; may be empty

  const PlannedCell* cell(std::string_view id) const;
  const Project* project(std::string_view name) const;
};

/// One in so many cells without a binding runs all the same.
inline constexpr unsigned checked_one_in = 20;

/// Whether a cell is one of those.
bool is_checked(std::string_view id);

std::string plan_json(const Plan& plan);
/// All of a project but the path of its source, which another checkout has elsewhere, as in a plan.
std::string project_text(const Project& project);
/// `of`: for messages, the file. An error if it is not a plan of this release.
Result<Plan> read_plan(std::string_view json, const std::string& of);

/// Reads `DIRECTORY/plan.json`.
Result<Plan> load_plan(const Files& files, const std::string& directory);

} // namespace hostpin::matrix
