// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scan.hpp"
#include "toolchains/base/environment.hpp"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace hostpin::leak {

/// Whether to show a progress line: only on a terminal that supports a carriage return (TERM is set, and not
/// `dumb`), and not where output is logged (CI is set).
bool wants_progress(const Environment& environment, bool is_terminal);

/// `1234 files, 1.2 GB: lib/libf.so`, at most `columns` characters of ASCII: of a path that is too long the
/// end is shown, with `?` for unprintable characters.
std::string progress_text(const ScanProgress::State& state, std::size_t columns);

/// A line on a terminal for as long as this object lives: drawn after one second, updated a few times a
/// second, and erased at the end. It has no colours and no escape sequences.
class ProgressLine {
public:
  /// Stores a reference. Does nothing unless `wanted`.
  ProgressLine(const ScanProgress& progress, int terminal, bool wanted);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

private:
  void run();
  void draw(const std::string& text);

  const ScanProgress& progress_;
  int terminal_;
  std::size_t drawn_ = 0; ///< characters on the line now
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

} // namespace hostpin::leak
