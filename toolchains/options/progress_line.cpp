// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/progress_line.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace hostpin::options {

namespace {

constexpr std::chrono::milliseconds patience{1000}, interval{200};
constexpr std::size_t usual_columns = 80;

std::string plain(std::string_view path) {
  std::string text(path);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::size_t columns_of(int terminal) {
  winsize size{};
  return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_columns;
}

} // namespace

bool wants_progress(const Environment& environment, bool is_terminal) {
  return is_terminal && !environment["CI"] && environment["TERM"].value_or("dumb") != "dumb";
}

std::string amount_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {" bytes", " KB", " MB", " GB", " TB"};
  std::size_t unit = 0;
  std::uint64_t scale = 1;
  while (unit + 1 < units.size() && bytes / scale >= 1000) {
    scale *= 1000;
    ++unit;
  }
  std::string text = std::to_string(bytes / scale);
  if (unit > 0 && bytes / scale < 10)
    text += '.' + std::to_string(bytes / (scale / 10) % 10);
  return text.append(units[unit]);
}

std::string progress_text(std::string text, std::string_view name, std::size_t columns) {
  constexpr std::string_view cut = "...";
  std::string path = plain(name);
  const std::size_t room = columns - std::min(columns, text.size() + 2);
  if (path.size() > room)
    path = room > cut.size() ? std::string(cut) + path.substr(path.size() - (room - cut.size())) : "";
  if (!path.empty())
    text += ": " + path;
  return text.substr(0, columns);
}

ProgressLine::ProgressLine(Text text, int terminal, bool wanted)
    : text_(std::move(text)), terminal_(terminal) {
  if (wanted) // the last column stays free: a terminal may wrap there
    ticker_.emplace([this] { draw(text_(columns_of(terminal_) - 1)); }, patience, interval);
}

ProgressLine::~ProgressLine() {
  ticker_.reset();
  if (drawn_ > 0)
    draw({});
}

void ProgressLine::draw(const std::string& text) {
  std::string line = '\r' + text;
  if (drawn_ > text.size())
    line.append(drawn_ - text.size(), ' ');
  if (text.empty())
    line += '\r';
  drawn_ = text.size();
  // A write error means that the terminal is gone, and can be ignored.
  [[maybe_unused]] const ssize_t written = ::write(terminal_, line.data(), line.size());
}

} // namespace hostpin::options
