// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hostpin {

/// Bytes as readable text for a page: invalid UTF-8 and noncharacters become U+FFFD, control characters their
/// pictures (from U+2400), and invisible and bidirectional characters their number, as in `[U+202E]`. Always
/// UTF-8.
std::string readable(std::string_view bytes);

/// The same where HTML expects text, between tags or in a quoted attribute.
std::string html(std::string_view bytes);

/// The same for a path, with a possible line break after each slash.
std::string html_path(std::string_view bytes);

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

} // namespace hostpin
