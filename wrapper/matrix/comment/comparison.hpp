// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/matrix/merge.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

/// A place in a source file. Lines and columns count from 1; 0: not known.
struct SourcePlace {
  std::string path; ///< relative to the top of the repository
  unsigned line = 0, column = 0;

  bool operator==(const SourcePlace&) const = default;
};

/// The lines of a source file that a change replaced.
struct ChangedLines {
  SourcePlace place;                ///< of the first line afterwards
  std::string commit;               ///< that changed them, as hexadecimal digits; empty: one of several
  std::string subject;              ///< of that commit
  std::vector<std::string> removed; ///< lines before and afterwards, at most `most_changed_lines` each
  std::vector<std::string> added;

  bool operator==(const ChangedLines&) const = default;
};
inline constexpr std::size_t most_changed_lines = 3;

/// Cells that changed in the same way for the same cause.
struct CauseGroup {
  Change::Kind change = Change::Kind::changed;
  std::string cause; ///< its kind; else the state of the cells, or `size`
  std::string stage; ///< may be empty
  std::string text;  ///< the first line that shows it; may be empty
  std::string fix;   ///< may be empty
  std::vector<Cell> cells;
  std::vector<std::string> details;   ///< lines: new findings, test cases that fail only now, growth
  std::optional<SourcePlace> place;   ///< of the error
  std::optional<ChangedLines> source; ///< what changed there
};

/// What differs between two merged results, by cause. Its texts are those of the programs that cells ran, and
/// of whoever wrote the results.
struct Comparison {
  std::string name;        ///< of the matrix
  std::string description; ///< the path of its description in the repository; empty: not known
  std::string plan;        ///< SHA-256 of the plan; empty: not known
  std::size_t same = 0;    ///< cells that do not differ
  std::vector<CauseGroup> groups;
};

/// Groups what `differences` returns: by kind, then by cause and the line that shows it.
Comparison comparison_of(const std::vector<Change>& changes, std::size_t same);

/// Cells in groups of that kind.
std::size_t cells_with(const Comparison& comparison, Change::Kind kind);

/// Text of others as one line without controls and invisible characters, which are escaped; of at most
/// `longest` bytes, and an ellipsis.
std::string shown_line(std::string_view text, std::size_t longest);

/// As text: each cause once with its first line and its fix. Control characters of others are escaped.
std::string difference_text(const Comparison& comparison);

/// The comparison with each cell's results.
std::string difference_json(const std::vector<Change>& changes, const Comparison& comparison);
/// An error if it is not a difference of this release, or a cell's identifier is not that of its values.
/// `of`: for messages, the file.
Result<Comparison> read_difference(std::string_view json, const std::string& of);

} // namespace hostpin::matrix
