// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// How a piece of text is meant; the colours follow from it.
enum class Tone { plain, good, bad, doubtful, quiet, heading };

/// Text for a person: coloured on a terminal that wants colours, plain elsewhere, and not wider than that is.
class Terminal {
public:
  constexpr explicit Terminal(bool colours, std::size_t width = 80) : colours_(colours), width_(width) {}

  std::string paint(std::string_view text, Tone tone) const;
  std::size_t width() const { return width_; }

private:
  bool colours_;
  std::size_t width_;
};

/// Nothing is wrapped.
inline constexpr Terminal endless{false, std::numeric_limits<std::size_t>::max() / 4};

/// What is written to a descriptor may be as wide as COLUMNS says, else as the terminal there, else 80.
std::size_t terminal_width(const Environment& environment, int descriptor);

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  bool whole = false; ///< a command to be pasted: it stays on one line, however long
};

/// Rows aligned in columns by what a person sees (code points, not bytes), each behind `indent` spaces. A
/// row's last cell is never padded, and trailing empty cells leave no spaces. A cell that has no room in its
/// column, or is wider than half of the terminal, does not widen the column: it is wrapped between words, and
/// what follows it in the row follows it in the text. Words, paths among them, are never parted.
std::string columns(const std::vector<std::vector<Cell>>& rows, const Terminal& terminal,
                    unsigned indent = 2);

/// Lines of text wrapped between words: each begins behind `indent` spaces and goes on behind `hang`. No word
/// is parted, and none of the lines ends in a space. Ends with a newline.
std::string paragraph(std::string_view text, const Terminal& terminal, std::size_t indent, std::size_t hang);

} // namespace hostpin
