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

Result<std::vector<std::string>> driver_words(const Files& files, const std::string& text) {
  constexpr std::string_view blanks = " \t";
  for (std::size_t end = text.size(); end != std::string::npos && end > 0;
       end = text.find_last_of(blanks, end - 1)) {
    const std::string path = text.substr(0, end);
    const auto status = path.find('/') == std::string::npos ? std::nullopt : files.status(path);
    if (!status || status->kind != FileStatus::Kind::regular)
      continue;
    return command_words(std::string_view(text).substr(end)).map([&](std::vector<std::string>&& rest) {
      rest.insert(rest.begin(), path);
      return std::move(rest);
    });
  }
  return command_words(text);
}

} // namespace hostpin
