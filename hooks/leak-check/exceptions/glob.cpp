// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/exceptions/exceptions.hpp"

#include <cstddef>

namespace hostpin {

namespace {

/// A star that was passed, and where matching goes on when what followed did not fit.
struct Star {
  std::size_t pattern = std::string_view::npos; ///< behind it
  std::size_t text = 0;                         ///< where it ends at the moment

  bool seen() const { return pattern != std::string_view::npos; }
};

} // namespace

bool fits(std::string_view glob, std::string_view text) {
  Star deep, flat;
  std::size_t at = 0, g = 0;
  while (at < text.size() || g < glob.size()) {
    if (glob.substr(g).starts_with("**")) {
      g += 2;
      deep = {g, at};
      flat = {};
    } else if (g < glob.size() && glob[g] == '*') {
      flat = {++g, at};
    } else if (at < text.size() && g < glob.size() &&
               (glob[g] == text[at] || (glob[g] == '?' && text[at] != '/'))) {
      ++g;
      ++at;
    } else if (flat.seen() && flat.text < text.size() && text[flat.text] != '/') {
      at = ++flat.text;
      g = flat.pattern;
    } else if (deep.seen() && deep.text < text.size()) {
      at = ++deep.text;
      g = deep.pattern;
      flat = {};
    } else {
      return false;
    }
  }
  return true;
}

} // namespace hostpin
