// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/threads.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::options {

/// Whether to show a progress line: only on a terminal that supports a carriage return (TERM is set, and not
/// `dumb`), and not where output is logged (CI is set).
bool wants_progress(const Environment& environment, bool is_terminal);

/// Bytes with three digits at most: `999 MB`, `1.2 GB`.
std::string amount_text(std::uint64_t bytes);

/// `text: name` in at most `columns` characters of ASCII: of a name that is too long the end is shown, with
/// `?` for unprintable characters.
std::string progress_text(std::string text, std::string_view name, std::size_t columns);

/// A line on a terminal for as long as this object lives: drawn after one second, updated a few times a
/// second, and erased at the end. It has no colours and no escape sequences.
class ProgressLine {
public:
  /// Returns the text for a width in columns; called in another thread.
  using Text = std::function<std::string(std::size_t)>;

  /// Does nothing unless `wanted`.
  ProgressLine(Text text, int terminal, bool wanted);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

private:
  void draw(const std::string& text);

  Text text_;
  int terminal_;
  std::size_t drawn_ = 0; ///< characters on the line now
  std::optional<Ticker> ticker_;
};

} // namespace hostpin::options
