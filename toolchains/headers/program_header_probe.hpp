// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/headers/answer_cache.hpp"
#include "toolchains/headers/header_probe.hpp"

#include <string>

namespace hostpin {

/// Runs libexec/hostpin/stdlib-probe, several calls at once, and caches its answers.
class ProgramHeaderProbe final : public HeaderProbe {
public:
  /// `program`: absolute path of stdlib-probe. `cache`: directory for answers; if empty, they are cached
  /// only as long as this object lives.
  ProgramHeaderProbe(std::string program, std::string cache, const Files& files, const Processes& processes)
      : program_(std::move(program)), cache_(std::move(cache), files), files_(files), processes_(processes) {}

  std::vector<Result<std::string>> ask(std::span<const ProbeCall> calls) const override;

private:
  std::string program_;
  AnswerCache cache_;
  const Files& files_;
  const Processes& processes_;
};

} // namespace hostpin
