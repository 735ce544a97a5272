// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/words.hpp"

#include <cstddef>

namespace hostpin {

Result<std::vector<std::string>> command_words(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote == 0 && blanks.find(c) != std::string_view::npos) {
      in_word = false;
      continue;
    }
    if (!in_word)
      words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
      continue;
    }
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      continue;
    }
    // Within double quotes a backslash keeps its meaning only before what would end or escape there.
    const bool escapes = c == '\\' && i + 1 < text.size() &&
                         (quote == 0 || (quote == '"' && std::string_view("\"\\$`").find(text[i + 1]) !=
                                                             std::string_view::npos));
    if (escapes)
      c = text[++i];
    words.back() += c;
  }
  if (quote != 0)
    return failure(std::string("the quote ") + quote + " in '" + std::string(text) + "' is not closed");
  return words;
}

} // namespace hostpin
