// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hostpin {

/// Bytes as text that a page may hold and a person can read: what is no UTF-8, or no character at all,
/// becomes U+FFFD, control characters their pictures (U+2400 and on), and what is invisible or turns the
/// direction of writing its number, as in `[U+202E]`. UTF-8 always.
std::string readable(std::string_view bytes);

/// The same where HTML expects text, between tags or in an attribute within quotes.
std::string html(std::string_view bytes);

/// The same of a path, which may be broken behind each slash.
std::string html_path(std::string_view bytes);

/// The same with line feeds kept, for <pre>.
std::string html_lines(std::string_view bytes);

/// The same as a JSON string with its quotes, for a <script> element: no `<`, `>`, `&`, U+2028 or U+2029
/// stands in it, so that nothing ends the element or begins a comment.
std::string script_string(std::string_view bytes);

/// How many cells of a monospaced font readable text takes; East Asian wide characters take two.
std::size_t cells(std::string_view readable_text);

/// Readable text of at most `limit` (at least 3) cells: of one that is longer its beginning and its end, with
/// an ellipsis between them.
std::string shortened(std::string_view readable_text, std::size_t limit);

} // namespace hostpin
