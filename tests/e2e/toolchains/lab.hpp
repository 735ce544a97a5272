// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/toolkit/toolkit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// The real compilers and toolkits that `./bootstrap lab` provides.
struct Lab {
  std::vector<std::string> drivers; ///< bin/g++-9 and so on
  std::vector<Toolkit> toolkits;    ///< the lab's, those of wheels, and /usr/local/cuda, by version
};

/// Nothing without a lab; `missing` then names what was looked for.
std::optional<Lab> find_lab(std::string& missing);

/// The one that main found.
const Lab& lab();

/// HOSTPIN_FULL=1: test all combinations, which takes minutes, not only their edges.
bool full_form();

} // namespace hostpin
