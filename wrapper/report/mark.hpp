// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// How a word is shown: in a colour, with a sign that has the same meaning without the colour.
struct Mark {
  std::string_view style; ///< class in the page's style sheet: `good`, `bad`, `doubtful`, `quiet`
  std::string_view sign;  ///< one character, hidden from screen readers
  std::string_view word;
};

/// For a verdict on a compiler (`fits`), on an LTO input (`mismatch`) and for a severity (`warning`); an
/// unknown word is shown unchanged, marked as doubtful.
Mark mark(std::string_view word);

/// `<span class="mark good">` with sign and word.
std::string marked(std::string_view word);

/// A number with a thousands separator: `12,345`.
std::string counted(std::size_t number);
/// The same with its noun: `1 file`, `2 files`; the plural ends with s.
std::string counted(std::size_t number, std::string_view noun);

/// `<ul class="notes">` of texts; empty if there are none.
std::string note_list(const std::vector<std::string>& texts);

} // namespace hostpin
