// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/driver_answer.hpp"
#include "toolchains/base/process.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::lto {

/// How GCC's collect2 runs its linker. The driver may be a script that sets PATH or other variables first.
struct LinkerRun {
  std::string linker;             ///< path; empty if the driver does not show it
  std::vector<std::string> set;   ///< `NAME=value` of variables that differ from the caller's
  std::vector<std::string> unset; ///< names of the caller's that are removed
};

/// Runs a compiler driver without its inputs, so that collect2 and the linker print what they are and do
/// nothing else. `shown` is the driver's `-###`. The answer is cached.
LinkerRun run_of_collect2(const std::vector<std::string>& command, std::string_view shown,
                          const LinkTools& tools);

/// Runs programs as collect2 runs its linker.
class AsLinker final : public Processes {
public:
  /// Both must outlive it.
  AsLinker(const Processes& processes, const LinkerRun& run) : processes_(processes), run_(run) {}

  std::vector<Outcome> run(std::span<const Command> commands) const override;

private:
  const Processes& processes_;
  const LinkerRun& run_;
};

} // namespace hostpin::lto
