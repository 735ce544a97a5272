// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/terminal.hpp"

#include <algorithm>
#include <cstddef>
#include <sys/ioctl.h>

namespace hostpin {

namespace {

const char* escape(Tone tone) {
  switch (tone) {
  case Tone::good:
    return "\x1b[32m";
  case Tone::bad:
    return "\x1b[31m";
  case Tone::doubtful:
    return "\x1b[33m";
  case Tone::quiet:
    return "\x1b[2m";
  case Tone::heading:
    return "\x1b[1m";
  case Tone::plain:
    break;
  }
  return "";
}

/// Code points; a continuation byte adds nothing to the width.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

} // namespace

std::string Terminal::paint(std::string_view text, Tone tone) const {
  const char* const start = escape(tone);
  if (!colours_ || *start == '\0' || text.empty())
    return std::string(text);
  return std::string(start).append(text).append("\x1b[0m");
}

namespace {

using Row = std::vector<Cell>;

/// The start of each column, and of the one after the last.
std::vector<std::size_t> starts_of(const std::vector<Row>& rows, std::size_t indent, std::size_t limit) {
  std::vector<std::size_t> starts{indent};
  for (std::size_t i = 0;; ++i) {
    std::size_t widest = 0;
    bool any = false;
    for (const Row& row : rows)
      if (i < row.size()) {
        any = true;
        const std::size_t wide = width(row[i].text);
        if (wide <= limit / 2 && starts[i] + wide <= limit)
          widest = std::max(widest, wide);
      }
    if (!any)
      return starts;
    starts.push_back(starts[i] + widest + 2);
  }
}

/// Writes one row.
class Line {
public:
  Line(const std::vector<std::size_t>& starts, const Terminal& terminal)
      : starts_(starts), terminal_(terminal) {}

  void put(const Cell& cell, std::size_t column) {
    const std::size_t start = starts_[column];
    const bool reached = wrapped_ || (at_ != 0 && at_ + 2 > start);
    if (reached || start + width(cell.text) > terminal_.width())
      return flow(cell, reached ? at_ + 2 : start, hanging(column));
    pad(start);
    write(cell.text, cell.tone);
  }

  std::string take() { return std::move(text_) + '\n'; }

private:
  void pad(std::size_t to) {
    text_.append(to - std::min(at_, to), ' ');
    at_ = std::max(at_, to);
  }

  void write(std::string_view text, Tone tone) {
    text_ += terminal_.paint(text, tone);
    at_ += width(text);
  }

  /// A cell continues below itself if there is room, else below the second column.
  std::size_t hanging(std::size_t column) const {
    const std::size_t limit = terminal_.width();
    if (starts_[column] * 2 <= limit && (column != 0 || starts_.size() == 2))
      return starts_[column];
    return starts_.size() > 2 && starts_[1] * 3 <= limit ? starts_[1] + (column > 1 ? 2 : 0) : starts_[0] + 4;
  }

  void break_line(std::size_t hang) {
    text_ += '\n';
    at_ = 0;
    pad(hang);
    wrapped_ = true;
  }

  void flow(const Cell& cell, std::size_t start, std::size_t hang) {
    const std::size_t limit = terminal_.width();
    const std::size_t wide = width(cell.text);
    if (start + wide > limit && start > hang && hang + wide <= limit) { // fits on the next line
      break_line(hang);
      return write(cell.text, cell.tone);
    }
    std::string part; // text of one line, painted as a whole
    for (std::size_t begin = 0; begin < cell.text.size();) {
      const std::size_t blank = cell.whole ? std::string::npos : cell.text.find(' ', begin);
      const std::size_t end = std::min(blank, cell.text.size());
      const std::string word = cell.text.substr(begin, end - begin);
      const std::size_t from = part.empty() ? start : at_ + width(part) + 1;
      if (from + width(word) > limit && from > hang) {
        write(part.substr(0, part.find_last_not_of(' ') + 1), cell.tone);
        part.clear();
        break_line(hang);
      } else if (part.empty()) {
        pad(start);
      } else {
        part += ' ';
      }
      part += word;
      begin = end + 1;
    }
    write(part, cell.tone);
  }

  const std::vector<std::size_t>& starts_;
  const Terminal& terminal_;
  std::string text_;
  std::size_t at_ = 0;   // width of the last line
  bool wrapped_ = false; // further cells are not aligned to columns
};

} // namespace

std::string columns(const std::vector<std::vector<Cell>>& rows, const Terminal& terminal, unsigned indent) {
  const std::vector<std::size_t> starts = starts_of(rows, indent, terminal.width());
  std::string text;
  for (const Row& row : rows) {
    Line line(starts, terminal);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!row[i].text.empty())
        line.put(row[i], i);
    text += line.take();
  }
  return text;
}

std::string paragraph(std::string_view text, const Terminal& terminal, std::size_t indent, std::size_t hang) {
  std::string wrapped;
  for (bool more = true; more;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    more = end < text.size();
    text.remove_prefix(std::min(end + 1, text.size()));
    std::size_t at = indent;
    wrapped.append(line.empty() ? 0 : indent, ' ');
    for (bool first = true; !line.empty(); first = false) {
      const std::string_view word = line.substr(0, line.find(' '));
      line.remove_prefix(std::min(word.size() + 1, line.size()));
      if (!first && at + 1 + width(word) > terminal.width()) {
        wrapped.append(1, '\n').append(hang, ' ');
        at = hang;
      } else if (!first) {
        wrapped += ' ';
        ++at;
      }
      wrapped += word;
      at += width(word);
    }
    wrapped += '\n';
  }
  return wrapped;
}

std::size_t terminal_width(const Environment& environment, int descriptor) {
  winsize size{};
  if (const auto width = environment.columns())
    return *width;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace hostpin
