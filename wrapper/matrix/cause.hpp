// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/tracing/trace.hpp"
#include "wrapper/matrix/plan.hpp"
#include "wrapper/matrix/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

using tracing::TracedOutcome;

/// A kind of cause. Which one of several is in a log is decided by the first line that shows one.
struct CauseRow {
  std::string_view kind;
  std::string_view meaning;
  std::string_view fix;               ///< may be empty
  bool is_loss = false;               ///< of the machine, not of the cell: it can be repeated elsewhere
  ErrorKind error = ErrorKind::other; ///< hostpin's errors of this kind have this cause
};

/// All kinds, for documentation and reports.
const std::vector<CauseRow>& causes();
/// Null if there is no such kind.
const CauseRow* cause_of_kind(std::string_view kind);

/// The line of a message of the kind `no_answer` that names the program; its first line if none does.
std::string_view unanswered(std::string_view message);

/// A directory whose path in a log becomes `name`, so that logs of different machines are the same.
struct Naming {
  std::string directory, name;
};

/// Why nothing can be bound, by hostpin's refusal: the line with the proof of a clash, else the first.
Cause cause_of_refusal(const Decided& decided);

/// Why a stage of a cell failed. `log`: what the stage printed; of a long one only the beginning and the end
/// count. `outcome`: how it ended.
Cause cause_of(std::string_view stage, std::string_view log, const TracedOutcome& outcome,
               const std::vector<Naming>& names);

} // namespace hostpin::matrix
