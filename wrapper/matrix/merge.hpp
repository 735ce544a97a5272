// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/matrix/plan.hpp"
#include "wrapper/matrix/result.hpp"
#include "wrapper/matrix/stored.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

/// One result for each cell, by identifier.
struct Merged {
  std::string name;
  std::vector<CellResult> cells;

  const CellResult* cell(std::string_view id) const;
};

/// Merges results. Of several for a cell, those that are `lost` count only if there is no other; if those
/// with one key passed and failed, the cell is `noise`, and so it is if a plan knows that all of them hold;
/// of different keys, that of `plan`'s last decision counts, else one that failed, else the last by key, so
/// that the order in which they were written does not matter. Cells of the plan without a result are
/// `missing`, or what the plan knows about them; results for other cells, and those that the plan calls
/// outdated, are dropped. `plan`: null: the cells are those with results.
Merged merged(const Plan* plan, const std::vector<CellResult>& results);

/// Adds what counts of the results that a plan was made from: of a cell that is the same its result, of one
/// that is to run all. `merged` drops those that are outdated; what is left failed and passed, and another
/// run alone does not say which of them is right.
void add_stored(const Plan& plan, const Results& stored, std::vector<CellResult>& results);

std::string merged_json(const Merged& merged);
/// An error if it is no merged result of this release. `of`: for messages, the file.
Result<Merged> read_merged(std::string_view json, const std::string& of);

/// How many cells are in each state, as text: `3 passed, 1 failed (gate 1)`.
std::string summary(const Merged& merged);

/// A cell that is not the same in two merged results.
struct Change {
  enum class Kind { broken, fixed, new_cell, gone, undecided, noise, changed };
  Kind kind = Kind::changed;
  const CellResult* before = nullptr; ///< null: a new cell
  const CellResult* now = nullptr;    ///< null: gone
  std::vector<CellFinding> new_findings;
  std::vector<std::string> new_tests{}; ///< test cases that fail only now
  std::string grown{}; ///< it is larger by more than its project allows: how much, as text; empty: it is not
};

inline constexpr std::array change_kinds{
    Change::Kind::broken,    Change::Kind::fixed, Change::Kind::new_cell, Change::Kind::gone,
    Change::Kind::undecided, Change::Kind::noise, Change::Kind::changed};

/// `broken`, `fixed`, `new`, `gone`, `undecided`, `noise`, `changed`.
std::string_view to_string(Change::Kind kind);

/// What differs. broken: it passed, and fails or cannot be bound any more; fixed: the other way round;
/// undecided: one of them is lost or missing; noise: one of them is, or one key failed and passed;
/// changed: it still fails for another reason or in other test cases, passes with findings that are new,
/// or has grown more than its project allows. What is not listed is the same. The pointers are into the
/// arguments.
std::vector<Change> differences(const Merged& before, const Merged& now);

/// Other forms of merged results: JUnit's XML and SARIF 2.1.0.
std::string junit_xml(const Merged& merged);
std::string sarif_json(const Merged& merged, const std::string& version);

/// A page with a row for each cell, by cause. `before`: earlier results, whose differences come first; null:
/// none.
std::string html_page(const Merged* before, const Merged& now, const std::string& version);

} // namespace hostpin::matrix
