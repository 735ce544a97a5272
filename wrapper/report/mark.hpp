// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// How a word of ours is shown: in a colour, behind a sign that tells it without the colour.
struct Mark {
  std::string_view style; ///< class in the page's style sheet: `good`, `bad`, `doubtful`, `quiet`
  std::string_view sign;  ///< one character, for the eye alone
  std::string_view word;
};

/// For a verdict on a compiler (`fits`), on an LTO input (`mismatch`) and for a severity (`warning`); a word
/// that is none of ours is shown as it is, doubtful.
Mark mark(std::string_view word);

/// `<span class="mark good">` with sign and word.
std::string marked(std::string_view word);

/// A number with thousands set apart: `12,345`.
std::string counted(std::size_t number);
/// The same with its noun: `1 file`, `2 files`; the plural ends with s.
std::string counted(std::size_t number, std::string_view noun);

/// `<ul class="notes">` of texts; nothing for none.
std::string note_list(const std::vector<std::string>& texts);

} // namespace hostpin
