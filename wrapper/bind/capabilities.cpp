// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/capabilities.hpp"

#include "toolchains/gpus/spelling.hpp"

namespace hostpin {

BoundCapabilities bound_capabilities(const std::string& list, bool forward_compatible,
                                     const GpuExpansion& expansion, const std::vector<Gpu>& gpus,
                                     std::vector<std::string>& notes) {
  BoundCapabilities bound{list, forward_compatible, {}};
  for (const Spelling& spelling : spellings()) {
    if (spelling.environment.empty())
      continue;
    auto value = spelling.value(expansion, gpus);
    if (value)
      bound.variables.emplace_back(spelling.environment, *std::move(value));
    else
      notes.push_back(std::string(spelling.environment) + " is not exported: " + value.error().message);
  }
  return bound;
}

} // namespace hostpin
