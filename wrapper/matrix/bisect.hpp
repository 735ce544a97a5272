// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/matrix/planning.hpp"
#include "wrapper/matrix/run.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

struct BisectTerms {
  std::string hostpin;   ///< the program
  std::string good, bad; ///< revisions
  std::string output;    ///< directory: `revisions/COMMIT` with a checkout and a plan, and `results`
  unsigned jobs = 1;     ///< cells that run at once
};

/// Where a cell broke.
struct Breakage {
  std::string cell;
  std::string good, bad; ///< commits: the newest at which it passed, and the oldest at which it failed
  bool is_exact = true;  ///< false: results of the commits between them are lost
  Cause cause;           ///< at `bad`
};

struct Bisected {
  std::vector<Breakage> broken;           ///< oldest commit first
  std::vector<std::string> failed_before; ///< cells that failed at the good revision too
  std::vector<std::string> unknown;       ///< cells without an answer at one of both ends
  std::size_t passed = 0, cannot = 0;     ///< cells at the bad revision
  std::size_t commits = 0;                ///< of the history, with both ends
  std::size_t builds = 0, reused = 0;     ///< runs of cells, and answers that stored results gave
  std::size_t revisions = 0;              ///< that were checked out
};

/// Finds for each cell of a plan that passes at the good revision and fails at the bad one, between which
/// commits that changed. Cells run in one checkout for each revision; what they read says at which other
/// revisions a result holds as well. Stored results count: those that the plan was compared with, and those
/// of an earlier call with the same output. The pairs of a cell's commits depend on answers only, not on the
/// order in which they come, unless it was repaired and broke again between them.
Result<Bisected> bisect(const Plan& plan, const Repository& repository, const BisectTerms& terms,
                        const Surroundings& surroundings);

/// For people: by commit and cause.
std::string bisected_text(const Bisected& bisected, const Repository& repository);
std::string bisected_json(const Bisected& bisected);

/// The commits between which each cell broke, by its identifier.
struct BrokenBetween {
  std::string good, bad; ///< hexadecimal digits
};
/// Reads what `bisected_json` returns. `of`: for messages, the file.
Result<std::map<std::string, BrokenBetween>> read_broken(std::string_view json, const std::string& of);

} // namespace hostpin::matrix
