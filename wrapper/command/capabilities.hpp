// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/terminal.hpp"
#include "toolchains/gpus/expansion.hpp"
#include "toolchains/gpus/spelling.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Everything that `capabilities` prints.
struct CapabilitiesAnswer {
  const Toolkit& toolkit;
  const std::vector<Gpu>& gpus;
  std::optional<GpuExpansion> expansion; ///< nothing: no list was given
};

/// The GPUs that the toolkit supports, or the list with all its spellings, as text.
std::string capabilities_text(const CapabilitiesAnswer& answer, const Terminal& terminal);

/// The same as JSON; the schema is in wrapper/command/README.md.
std::string capabilities_json(const CapabilitiesAnswer& answer);

} // namespace hostpin
