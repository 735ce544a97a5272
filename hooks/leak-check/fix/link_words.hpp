// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/fix/link_lists.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A word of a list, and what became of it.
struct LinkWord {
  std::size_t begin = 0; ///< byte of the text
  std::size_t end = 0;   ///< one past its last
  std::string text;      ///< what should stand there; empty: nothing
  std::string_view left; ///< why it stays although something in it is unwanted; empty: nothing is, or it went
};

/// The words of a list as they stand.
std::vector<LinkWord> link_words(std::string_view text, const LinkList& list);

/// Whether a word holds more than plain text: quotes, a variable, an expression.
bool is_odd_word(std::string_view word);

/// What stands in `\$<LINK_ONLY:...>` of CMake; the word itself where it is no such one.
std::string bare_word(const std::string& word);
/// `bare` in what stands around it in `word`.
std::string as_wrapped(const std::string& word, const std::string& bare);

/// The names after `-l`, and those that CMake turns into one: what a search of directories is for.
std::vector<std::string> libraries_by_name(const std::vector<LinkWord>& words, const LinkList& list);

/// Directories of `-L`, and of a list of nothing else.
std::vector<std::string> searched_directories(const std::vector<LinkWord>& words, LinkList::Holds holds);

} // namespace hostpin
