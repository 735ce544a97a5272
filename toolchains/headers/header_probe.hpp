// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/headers/answer_cache.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// One call of stdlib-probe: its arguments, including `--json`.
using ProbeCall = std::vector<std::string>;

/// What headers contain, as reported by the program libexec/hostpin/stdlib-probe.
///
/// An answer is its JSON text, one object. It contains `rests_on[] {path, size, modified}`: every file that
/// was read, with its size in bytes and its modification time in nanoseconds since the epoch, both taken
/// before it was read. As long as none of them changes, the same call has the same answer.
class HeaderProbe {
public:
  HeaderProbe() = default;
  HeaderProbe(const HeaderProbe&) = delete;
  HeaderProbe& operator=(const HeaderProbe&) = delete;
  virtual ~HeaderProbe() = default;

  /// One answer for each call, in order; calls whose answer is not cached run at the same time. An error
  /// carries what the probe printed on stderr.
  virtual std::vector<Result<std::string>> ask(std::span<const ProbeCall> calls) const = 0;
};

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
