// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"
#include "toolchains/base/version.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::probe {

/// The header that a gate is read from.
struct GateSource {
  std::string header;              ///< crt/host_config.h, absolute
  std::optional<Version> release;  ///< of its toolkit, if known
  std::vector<std::string> looked; ///< other dependencies, absolute paths, existing or not
};

/// Finds it from what a user names: a toolkit's directory, its nvcc, or the header itself, or a copy of it.
/// nvcc is run only if the header is not in NVIDIA's usual location. The error says what was looked for.
Result<GateSource> gate_source(const std::string& named, const ProbeContext& context);

} // namespace hostpin::probe
