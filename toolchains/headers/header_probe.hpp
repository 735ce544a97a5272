// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// One call of stdlib-probe: the arguments behind its name, `--json` among them.
using ProbeCall = std::vector<std::string>;

/// What headers say, asked of the program libexec/hostpin/stdlib-probe.
///
/// An answer is its JSON text, one object. It holds `rests_on[] {path, size, modified}`: every file that was
/// read, with its size in bytes and its modification time in nanoseconds since the epoch, both taken before
/// it was read. As long as none of them changes, the same call has the same answer.
class HeaderProbe {
public:
  HeaderProbe() = default;
  HeaderProbe(const HeaderProbe&) = delete;
  HeaderProbe& operator=(const HeaderProbe&) = delete;
  virtual ~HeaderProbe() = default;

  /// One answer for each call, in their order; those not remembered are asked at the same time. An error
  /// carries what the probe said on stderr.
  virtual std::vector<Result<std::string>> ask(std::span<const ProbeCall> calls) const = 0;
};

} // namespace hostpin
