// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

/// A test case that failed.
struct FailedCase {
  std::string name;    ///< `CLASS.NAME`, or `NAME` if the class is the same or has no name
  std::string message; ///< its first line; may be empty
};

/// What a test command wrote as JUnit's XML.
struct TestCases {
  std::size_t count = 0; ///< also of those that passed or were skipped
  std::vector<FailedCase> failed;
};

/// Reads JUnit's XML, in any of its dialects: elements `testcase` with elements `failure` or `error`. Files
/// with a document type are refused, as JUnit has none. `of`: for messages, the file.
Result<TestCases> read_junit(std::string_view xml, const std::string& of);

struct CasesOfFiles {
  TestCases cases;
  std::optional<Error> wrong; ///< of the first file that cannot be read; the cases of the others count
};

/// The test cases of all regular files below a directory whose path there matches `pattern`, as fnmatch(3)
/// does where `*` matches no slash. Sorted by the paths.
CasesOfFiles read_junit_files(const Files& files, const std::string& directory, const std::string& pattern);

/// Which cases failed, as one line: `NAME: message`, or `3 tests failed: NAME, NAME, NAME`. Sorts them by
/// name, and keeps one of each. Not for an empty list.
std::string failed_text(std::vector<FailedCase>& failed);

} // namespace hostpin::matrix
