// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What a piece of text means; it determines the colour.
enum class Tone { plain, good, bad, doubtful, quiet, heading };

/// Formats text for an output: with or without colours, and not wider than `width`.
class Terminal {
public:
  constexpr explicit Terminal(bool colours, std::size_t width = 80) : colours_(colours), width_(width) {}

  std::string paint(std::string_view text, Tone tone) const;
  std::size_t width() const { return width_; }
  bool has_colours() const { return colours_; }

private:
  bool colours_;
  std::size_t width_;
};

/// Nothing is wrapped.
inline constexpr Terminal endless{false, std::numeric_limits<std::size_t>::max() / 4};

/// The width for output to a descriptor: COLUMNS, else the terminal's width, else 80.
std::size_t terminal_width(const Environment& environment, int descriptor);

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  bool whole = false; ///< a command to be pasted: never wrapped
};

/// Rows aligned in columns by width in code points, each after `indent` spaces. A row's last cell is never
/// padded, and trailing empty cells leave no spaces. A cell that does not fit into its column, or is wider
/// than half of the terminal, does not widen the column: it is wrapped between words, and the next cells of
/// the row follow it directly. Words, paths among them, are never split.
std::string columns(const std::vector<std::vector<Cell>>& rows, const Terminal& terminal,
                    unsigned indent = 2);

/// Lines of text wrapped between words: each starts after `indent` spaces and continues after `hang` spaces.
/// No word is split, and no line ends with a space. Ends with a newline.
std::string paragraph(std::string_view text, const Terminal& terminal, std::size_t indent, std::size_t hang);

} // namespace hostpin
