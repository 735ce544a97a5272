// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::report {

/// Bytes as readable text for a page: invalid UTF-8 and noncharacters become U+FFFD, control characters their
/// pictures (from U+2400), and invisible and bidirectional characters their number, as in `[U+202E]`. Always
/// UTF-8.
std::string readable(std::string_view bytes);

/// The same where HTML expects text, between tags or in a quoted attribute.
std::string html(std::string_view bytes);

/// The same with line feeds preserved, for <pre>.
std::string html_lines(std::string_view bytes);

/// The same as a JSON string with its quotes, for a <script> element: it contains no `<`, `>`, `&`, U+2028 or
/// U+2029, so that nothing ends the element or begins a comment.
std::string script_string(std::string_view bytes);

/// How many cells of a monospaced font readable text takes; East Asian wide characters take two.
std::size_t cells(std::string_view readable_text);

/// Readable text of at most `limit` (at least 3) cells: a longer one is reduced to its beginning and its end,
/// with an ellipsis between them.
std::string shortened(std::string_view readable_text, std::size_t limit);

/// A number with a thousands separator: `12,345`.
std::string counted(std::size_t number);
/// The same with its noun: `1 file`, `2 files`; the plural ends with s.
std::string counted(std::size_t number, std::string_view noun);

/// How a word is shown: in a colour, with a sign that has the same meaning without the colour.
struct Mark {
  std::string_view style; ///< class in the page's style sheet: `good`, `bad`, `doubtful`, `quiet`
  std::string_view sign;  ///< one character, hidden from screen readers
  std::string_view word;
};

/// For a verdict on a compiler (`fits`), on an LTO input (`mismatch`) and for a severity (`warning`); an
/// unknown word is shown unchanged, marked as doubtful.
Mark mark(std::string_view word);

// Elements of the page. Parameters that are called `html` are markup already, all others are any bytes.

/// `<span class="mark good">` with sign and word.
std::string marked(const Mark& mark);
std::string marked(std::string_view word);

/// `<span class="path">`; with `breaks`, lines may break after each slash.
std::string path_span(std::string_view path, bool breaks = false);

/// A row of a <dl>; empty if the text is.
std::string definition(std::string_view term, std::string_view html);

/// `<ul>` with that class; empty if there are no items.
std::string list(std::string_view style, const std::string& items_html);
/// `<ul class="notes">` of texts; empty if there are none.
std::string note_list(const std::vector<std::string>& texts);

/// A region that scrolls, by keyboard too. `label`: for screen readers.
std::string scrolling(std::string_view label, const std::string& html);

/// `<table>` in such a region. `attributes`: of the element; `columns`: `<th>` elements.
std::string table(std::string_view attributes, std::string_view label, std::string_view caption,
                  const std::string& columns_html, const std::string& rows_html);
/// `<th>` elements of plain names.
std::string columns_of(const std::vector<const char*>& names);

/// `<section>` with a heading of the second level and that id.
std::string section(std::string_view id, std::string_view title, const std::string& html);

} // namespace hostpin::report
