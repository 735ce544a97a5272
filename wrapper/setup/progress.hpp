// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/options/progress_line.hpp"
#include "toolchains/setup/packages.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace hostpin::setup {

/// How far a setup is.
struct ProgressState {
  std::uint64_t fetched = 0, total = 0; ///< bytes
  std::string work;                     ///< what is being done
};

/// `[#####.....] 65 MB of 130 MB, 12 MB/s: working on`, in at most `columns` characters.
std::string progress_bar(const ProgressState& state, std::chrono::milliseconds elapsed, std::size_t columns);

/// Shows progress on standard error for as long as it lives: a bar on a terminal, else a line every ten
/// seconds. Can be reported to from several threads.
class SetupProgress final : public Progress {
public:
  /// `total`: bytes that will be downloaded.
  SetupProgress(std::uint64_t total, const Environment& environment);

  /// What the current fetch has downloaded so far.
  void fetched(std::uint64_t bytes) override;
  void working(std::string_view on) override;
  /// The current fetch is complete, and brought that many bytes.
  void complete(std::uint64_t bytes);

  std::chrono::milliseconds elapsed() const;

private:
  ProgressState state() const;
  void print_line() const;

  mutable std::mutex mutex_;
  ProgressState state_;
  std::uint64_t before_ = 0; ///< bytes of complete fetches
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::optional<options::ProgressLine> line_;
  std::optional<Ticker> lines_;
};

} // namespace hostpin::setup
