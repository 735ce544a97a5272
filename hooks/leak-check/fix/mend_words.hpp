// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/fix/link_words.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Why a directory of headers stays.
inline constexpr std::string_view headers_may_be_needed =
    "whoever compiles with it may need a header that lies there";

/// What words are judged by.
struct LinkRules {
  /// Whether that absolute path is unwanted, or below what is.
  std::function<bool(std::string_view path)> unwanted;
  /// Whether a library that is linked by name is to be found in that directory and in no other one.
  std::function<bool(const std::string& directory)> needed;
};

/// Takes out unwanted directories that are searched at link time or at run time, and says `-lstdc++` and
/// `-lgcc_s` instead of files of those in unwanted places. What is quoted or holds a variable stays, and so
/// does what is not certain.
void mend(std::vector<LinkWord>& words, LinkList::Holds holds, const LinkRules& rules);

} // namespace hostpin
