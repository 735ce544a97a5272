// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// How a piece of text is meant; the colours follow from it.
enum class Tone { plain, good, bad, doubtful, quiet, heading };

/// Text for a person: coloured on a terminal that wants colours, plain elsewhere.
class Terminal {
public:
  explicit Terminal(bool colours) : colours_(colours) {}

  std::string paint(std::string_view text, Tone tone) const;

private:
  bool colours_;
};

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

/// Rows aligned in columns by what a person sees (code points, not bytes), each behind `indent` spaces. A
/// row's last cell is never padded, and trailing empty cells leave no spaces.
std::string columns(const std::vector<std::vector<Cell>>& rows, const Terminal& terminal,
                    unsigned indent = 2);

} // namespace hostpin
