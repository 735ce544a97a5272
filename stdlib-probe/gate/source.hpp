// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"
#include "toolchains/base/version.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Where a gate is to be read.
struct GateSource {
  std::string header;              ///< crt/host_config.h, absolute
  std::optional<Version> release;  ///< of its toolkit, where that can be told
  std::vector<std::string> looked; ///< other files that this rests on, absolute, present or not
};

/// From what a user names: a toolkit's directory, its nvcc, or the header itself, or a copy of it. nvcc is
/// run only where the header is not where NVIDIA puts it. An error says what was looked for.
Result<GateSource> gate_source(const std::string& named, const ProbeContext& context);

} // namespace hostpin
