// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/script.hpp"

#include "toolchains/library/library.hpp"

#include <algorithm>
#include <array>

namespace hostpin {

namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$@";

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; (begin = text.find("/*")) != std::string_view::npos;) {
    result.append(text.substr(0, begin)).append(1, ' ');
    const std::size_t end = text.find("*/", begin + 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
  return result.append(text);
}

bool is_symbol(std::string_view word) {
  return word != "." && (word.front() < '0' || word.front() > '9');
}

/// NAME = EXPRESSION, also with += and the like.
void read_assignment(std::string_view statement, ScriptSymbols& symbols) {
  const std::string_view value = statement.substr(statement.find('=') + 1);
  if (statement.find_first_of("({\"") != std::string_view::npos) {
    symbols.doubtful = true;
    return;
  }
  for (std::size_t at = 0; (at = value.find_first_of(letters, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(value.find_first_not_of(letters, at), value.size());
    if (const std::string_view word = value.substr(at, end - at); is_symbol(word))
      symbols.wanted.emplace_back(word);
    at = end;
  }
}

} // namespace

ScriptSymbols script_symbols(std::string_view text) {
  constexpr auto pulling = std::to_array<std::string_view>({"EXTERN"});
  constexpr auto differing =
      std::to_array<std::string_view>({"PROVIDE", "PROVIDE_HIDDEN", "HIDDEN", "ENTRY", "ASSERT"});
  ScriptSymbols symbols;
  symbols.wanted = script_words(text, pulling);
  symbols.doubtful = !script_words(text, differing).empty();
  const std::string bare = without_comments(text);
  for (std::string_view rest = bare; !rest.empty();) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    std::string_view statement = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (statement.find('=') == std::string_view::npos)
      continue;
    // A command without a semicolon may precede it; then it is not only an assignment.
    symbols.doubtful = true;
    read_assignment(statement, symbols);
  }
  return symbols;
}

} // namespace hostpin
