// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "wrapper/matrix/plan.hpp"
#include "wrapper/matrix/result.hpp"

#include <string>

namespace hostpin::matrix {

/// Which part of a cell runs here.
enum class Stage {
  all,
  build, ///< all but the test; what was built is packed next to the result's file, see built.hpp
  test,  ///< the test of what `build` packed
};

struct RunSettings {
  std::string hostpin;  ///< the program
  std::string programs; ///< directory of its other programs
  std::string plan;     ///< directory of the plan
  std::string output;   ///< file for the result; lists of inputs go to `inputs` next to it
  std::string work;     ///< directory for the cell's files; empty: `work/ID` in the plan's
  Stage stage = Stage::all;
  bool stays = false; ///< the work directory is not removed
};

/// What a cell runs in.
struct Surroundings {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
};

/// Where the result of `OUTPUT` is if it does not count once there is another one. Engines that look for the
/// result's file, as make does, run the cell again.
std::string lost_path(const std::string& output);

/// Runs a cell: binds, configures, builds, installs, scans what was installed, and tests, each step recorded,
/// and writes the result and its log, `OUTPUT` with `.log` for `.json`; a result that is `lost` as
/// `.lost.json`. A failure of the cell is a result; an Error is that there is none.
Result<CellResult> run_cell(const Plan& plan, const PlannedCell& cell, const RunSettings& settings,
                            const Surroundings& surroundings);

} // namespace hostpin::matrix
