// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::probe {

/// How Clang's preprocessor reads C++ headers.
struct HeaderSearchPlan {
  std::string triple;
  std::string gcc_version;              ///< the GCC to imitate, such as `13.3.0`
  std::vector<std::string> directories; ///< searched in this order
  std::vector<std::string> flags;       ///< -D, -U, -std=, -include and the like, as Clang's -cc1 takes them
  std::string resources;                ///< directory whose `include` has Clang's own headers, searched last
};

struct Preprocessed {
  std::string words;                ///< the resulting tokens, separated by blanks
  std::vector<std::string> files;   ///< that were read
  std::vector<std::string> missing; ///< includes that were not found and skipped
  std::string mistake;              ///< the first error with its location; empty if there was none
};

/// Preprocesses a piece of C++. An error if the plan itself is wrong: an unknown target or flag.
Result<Preprocessed> preprocessed(const HeaderSearchPlan& plan, std::string_view source);

} // namespace hostpin::probe
