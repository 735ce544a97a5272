// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/matrix/comment/comparison.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace hostpin::matrix {

/// Bytes of a comment at most. GitHub takes 65,536 characters, GitLab 1,000,000, Forgejo has no documented
/// limit.
inline constexpr std::size_t longest_comment = 60'000;

/// Text of others as a block of code that nothing in it can end: CommonMark, 4.5. Each line is one line:
/// controls and invisible characters are escaped. `language`: of the block, such as `diff`.
std::string code_block(std::string_view language, const std::vector<std::string>& lines);

/// The beginning of the comments on one matrix, which no other comment has: a comment of HTML, by the path of
/// the description, else by the name.
std::string comment_marker(const Comparison& comparison);

/// The command that runs a cell again, for a POSIX shell; empty if the path of the description is none of one
/// line. The cell's identifier has letters, digits, `.`, `_`, `+` and `-` only.
std::string reproduction(const Comparison& comparison, const CauseGroup& group);

/// `3 cells are broken by 2 causes.` and what else differs; text of hostpin alone.
std::string verdict(const Comparison& comparison);

/// The groups that a report is about, most severe first, of these those with most cells: all but what is
/// fixed, new or gone.
std::vector<const CauseGroup*> reported(const Comparison& comparison);

/// The kind of a cause or state if hostpin knows it, else `unknown cause`: files may have others.
std::string_view known_cause(const CauseGroup& group);

/// A comment for a pull request: CommonMark, at most `longest_comment` bytes, causes first. Text of others is
/// in blocks of code only.
std::string markdown(const Comparison& comparison);

/// The same as JSON that the APIs of GitHub, GitLab and Forgejo take: `{"body": TEXT}`.
std::string comment_request(const Comparison& comparison);

/// The services that have annotations.
enum class Service { github, gitlab, forgejo };

/// Annotations at file and line: for GitHub and Forgejo workflow commands (`::error file=...`), at most ten
/// errors and ten warnings, as GitHub shows no more of a step; for GitLab a report of Code Quality, which has
/// only those with a place.
std::string annotations(const Comparison& comparison, Service service);

} // namespace hostpin::matrix
