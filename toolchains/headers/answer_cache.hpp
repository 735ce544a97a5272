// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Answers of programs in memory and on disk, each valid while its dependencies are unchanged.
///
/// An answer is a JSON object with `rests_on[] {path, size, modified}`: bytes and nanoseconds since the
/// epoch, as they were before the file was read; both 0 if there is no such file, and -1 for `modified`
/// if the file is so recent that a later change might not show. A missing, damaged or foreign cache only
/// makes things slower. For one thread.
class AnswerCache {
public:
  /// An empty `directory`: nothing outlives this object.
  AnswerCache(std::string directory, const Files& files) : directory_(std::move(directory)), files_(files) {}

  /// `question`: everything that the answer depends on except files.
  std::optional<std::string> find(const std::vector<std::string>& question) const;

  /// Stores an answer unless one of its dependencies is changing.
  void keep(const std::vector<std::string>& question, std::string_view answer) const;

private:
  std::string directory_;
  const Files& files_;
  mutable std::map<std::vector<std::string>, std::string> answers_; ///< by question
};

/// Removes the oldest answers from an AnswerCache's directory if it exceeds one of the bounds. Removes a
/// quarter more, so that the next answer does not exceed them again. Other files are not touched.
void forget_oldest(const std::string& directory, std::size_t most_answers, std::uint64_t most_bytes);

} // namespace hostpin
