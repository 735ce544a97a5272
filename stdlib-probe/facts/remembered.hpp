// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"
#include "toolchains/headers/answer_cache.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Answers of compilers, kept in the cache directory. An answer is good for the same command in the same
/// directory, under the same environment as far as compilers look at it, from this very program, as long as
/// the files it rests on are unchanged.
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
