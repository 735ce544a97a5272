// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "wrapper/matrix/inputs.hpp"
#include "wrapper/matrix/plan.hpp"
#include "wrapper/matrix/result.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::matrix {

/// The results below a directory, with their files' paths relative to it, sorted by those. `damaged`: those
/// that cannot be read, and why; they count as missing.
struct Results {
  std::vector<std::pair<std::string, CellResult>> results;
  std::vector<Error> damaged;
};
Results load_results(const Files& files, const std::string& directory);

struct StoredResult {
  std::string directory, path; ///< that was loaded, and the file relative to it
  CellResult result;
};

/// The stored result of a cell that holds, or why there is none.
struct Holding {
  const StoredResult* result = nullptr;
  enum class None { no_result, other_question, noise, differs };
  None none = None::no_result;
  std::vector<Input> differing;      ///< of a result with the same question: inputs that have another state
  std::vector<std::string> outdated; ///< keys of the results that do not hold
};

/// Results of earlier runs, and whether all that they read has the same state now. Each list of inputs and
/// each path is looked up once for each source tree. A list without the bytes that its name stands for is
/// damaged: no result with it holds.
class StoredResults {
public:
  explicit StoredResults(const Files& files) : files_(files) {}

  /// Damaged results are reported in `notes`.
  void load(const std::string& directory, std::vector<std::string>& notes);
  /// One more file, of a cell that just ran, by which git may have written its index again. False if it
  /// cannot be read.
  bool add(const std::string& directory, const std::string& path);

  /// Of one that passed and failed nothing holds.
  Holding holding(const std::string& cell, const Project& project, const std::string& question);

  /// What a result read; nothing if a list cannot be read.
  std::optional<std::vector<Input>> inputs_of(const StoredResult& stored) const;

private:
  const std::vector<Input>& differing(const std::string& source, const std::string& directory,
                                      const std::string& list);
  void take(const std::string& directory, const std::string& path, CellResult result);

  const Files& files_;
  std::deque<StoredResult> results_;
  std::multimap<std::string, const StoredResult*> by_cell_;
  std::map<std::string, InputStates> states_;
  std::map<std::pair<std::string, std::string>, std::vector<Input>> differing_; ///< by source and list
};

/// The path of an input in its repository: that of the source is `place` there, `.` for the top. Empty: it is
/// elsewhere.
std::string path_in_tree(const std::string& input, const std::string& place);

} // namespace hostpin::matrix
