// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scan.hpp"
#include "toolchains/base/environment.hpp"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace hostpin {

/// Whether a line that comes and goes is wanted: on a terminal that can go back to a line's beginning (TERM
/// is set, and not `dumb`), and nowhere that keeps what is written (CI is set).
bool wants_progress(const Environment& environment, bool is_terminal);

/// `1234 files, 1.2 GB: lib/libf.so`, at most `columns` characters of ASCII: of a path that is too long its
/// end is left, and what cannot be shown is `?`.
std::string progress_text(const ScanProgress::State& state, std::size_t columns);

/// A line on a terminal for as long as this object lives: drawn when a second has passed, a few times a
/// second from then on, and taken away at the end. It has no colours and no escape sequences.
class ProgressLine {
public:
  /// Keeps a reference. Nothing at all happens unless it is `wanted`.
  ProgressLine(const ScanProgress& progress, int terminal, bool wanted);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

private:
  void run();
  void draw(const std::string& text);

  const ScanProgress& progress_;
  int terminal_;
  std::size_t drawn_ = 0; ///< characters that stand there
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

} // namespace hostpin
