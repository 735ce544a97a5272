// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"
#include "toolchains/headers/answer_cache.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Cached answers of compilers, in the cache directory. An answer is valid for the same command in the same
/// directory, under the same environment variables that compilers read, from this build of the program, as
/// long as its dependencies are unchanged.
class RememberedFacts {
public:
  explicit RememberedFacts(const ProbeContext& context);

  std::optional<std::string> find(const std::vector<std::string>& command) const;
  void keep(const std::vector<std::string>& command, std::string_view answer) const;

private:
  std::vector<std::string> question(const std::vector<std::string>& command) const;

  AnswerCache cache_;
  std::vector<std::string> circumstances_;
};

} // namespace hostpin
