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
  /// Why that directory stays, a library that is linked by name being found or perhaps being found there and
  /// nowhere else; empty when none is. Static text.
  std::function<std::string_view(const std::string& directory)> need;
};

/// Takes out unwanted directories that are searched at link time or at run time, and says `-lstdc++` and
/// `-lgcc_s` instead of files of those in unwanted places. What is quoted or holds a variable stays, what may
/// be the value of the word before stays, and so does whatever else is not certain.
void mend(std::vector<LinkWord>& words, LinkList::Holds holds, const LinkRules& rules);

} // namespace hostpin
