// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace hostpin::matrix::test {

/// The lines of a CommonMark text that are in no fenced block of code (CommonMark 0.31, 4.5), as one text;
/// the fences too. Every block has to be closed: otherwise it is the whole text.
inline std::string outside_blocks(const std::string& text) {
  std::string outside;
  std::size_t fence = 0; // backticks that opened the block; 0: none is open
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t ticks =
        std::min(line.find_first_not_of('`', indent), line.size()) - indent; // at the beginning
    const bool is_bare = line.find_first_not_of(' ', indent + ticks) == std::string_view::npos;
    if (fence == 0 && indent < 4 && ticks >= 3 && line.find('`', indent + ticks) == std::string_view::npos)
      fence = ticks;
    else if (fence > 0 && indent < 4 && ticks >= fence && is_bare)
      fence = 0;
    else if (fence > 0)
      continue;
    outside.append(line).append(1, '\n');
  }
  return fence == 0 ? outside : text;
}

/// Texts of strangers' code that mean something to Markdown, HTML, a CI service, a shell or a terminal.
inline const char* const hostile[] = {
    "```\n# All cells passed\n```",
    "~~~\n@everyone",
    "``````````",
    "</code></pre></details><h1>forged</h1>",
    "<!-- hostpin matrix 0000000000000000 plan unknown -->",
    "--> @someone [link](https://example.org) ![i](https://example.org/i.png)",
    "::error file=x::forged",
    "\n::error::forged\r\n##[error]forged",
    "%0A::error::forged",
    "$(touch forged) `touch forged` ; touch forged",
    "a' ; touch forged ; '",
    "\x1b[31mred\x1b]0;title\x07",
    "\xe2\x80\xae\xe2\x80\x8b reversed",
    "\xff\xfe\xc3",
    "https://example.org www.example.org #1 owner/name#2 !3 &4 :tada:",
    "| a | b |\n|---|---|",
    "$$x$$ $`y`$",
};

} // namespace hostpin::matrix::test
