// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/matrix/bisect.hpp"
#include "wrapper/matrix/comment/comparison.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::matrix {

/// The first place of a source file in a line of a log, as compilers, nvcc and CMake print it. `source`:
/// where `$SOURCE` is in the repository, a relative path. None: the line has none, or not in the repository.
std::optional<SourcePlace> place_in_line(std::string_view line, std::string_view source);

/// The lines of a file that changed, of what `git diff -U0` printed, nearest to a line of the file
/// afterwards; 0: the first. None: nothing that is a text changed.
std::optional<ChangedLines> changed_lines(std::string_view difference, const std::string& path,
                                          unsigned line);

/// What is known about the sources of a comparison.
struct Sources {
  const Plan* plan = nullptr;             ///< null: places are not known
  const Repository* repository = nullptr; ///< null: changes are not known
  std::string from, to;                   ///< commits; empty: not known
  std::map<std::string, BrokenBetween> broken{};
};

/// Adds the places of errors and what changed there.
void add_sources(Comparison& comparison, const Sources& sources);

} // namespace hostpin::matrix
