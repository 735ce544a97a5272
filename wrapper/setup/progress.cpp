// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/progress.hpp"

#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

constexpr std::chrono::seconds between_lines{10};
constexpr std::size_t bar_columns = 20, narrow = 60;

std::string amounts(const ProgressState& state, std::chrono::milliseconds elapsed) {
  std::string text =
      fmt::format("{} of {}", options::amount_text(state.fetched), options::amount_text(state.total));
  const auto seconds = static_cast<std::uint64_t>(std::max<long>(1, elapsed.count() / 1000));
  if (state.fetched > 0 && state.fetched < state.total)
    text += fmt::format(", {}/s", options::amount_text(state.fetched / seconds));
  return text;
}

} // namespace

std::string progress_bar(const ProgressState& state, std::chrono::milliseconds elapsed, std::size_t columns) {
  if (state.total == 0)
    return options::progress_text("hostpin setup", state.work, columns);
  std::string text = amounts(state, elapsed);
  if (columns > narrow) {
    const std::uint64_t done = std::min(state.fetched, state.total) * bar_columns / state.total;
    text = '[' + std::string(done, '#') + std::string(bar_columns - done, '.') + "] " + text;
  }
  return options::progress_text(std::move(text), state.work, columns);
}

SetupProgress::SetupProgress(std::uint64_t total, const Environment& environment) : state_{0, total, {}} {
  if (options::wants_progress(environment, isatty(STDERR_FILENO) != 0))
    line_.emplace([this](std::size_t columns) { return progress_bar(state(), elapsed(), columns); },
                  STDERR_FILENO, true);
  else
    lines_.emplace([this] { print_line(); }, between_lines, between_lines);
}

void SetupProgress::fetched(std::uint64_t bytes) {
  const std::scoped_lock held(mutex_);
  state_.fetched = before_ + bytes;
}

void SetupProgress::working(std::string_view on) {
  const std::scoped_lock held(mutex_);
  state_.work = on;
}

void SetupProgress::complete(std::uint64_t bytes) {
  const std::scoped_lock held(mutex_);
  before_ += bytes;
  state_.fetched = before_;
}

std::chrono::milliseconds SetupProgress::elapsed() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin_);
}

ProgressState SetupProgress::state() const {
  const std::scoped_lock held(mutex_);
  return state_;
}

void SetupProgress::print_line() const {
  const ProgressState now = state();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed()).count();
  print_error(fmt::format("hostpin: {:4} s  {}{}{}\n", seconds, amounts(now, elapsed()),
                          now.work.empty() ? "" : ": ", now.work));
}

} // namespace hostpin::setup
