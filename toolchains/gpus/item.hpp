// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/gpus/capability.hpp"

#include <string_view>
#include <vector>

namespace hostpin {

/// One item of a list.
struct ListedCapability {
  Capability capability;
  bool ptx = false; ///< `+ptx` stands behind it
};

/// Reads `8.6`, `9.0a+ptx`. The error's message says what is wrong with an item, without naming it.
Result<ListedCapability> listed_capability(std::string_view item);

/// What stands between the separators; empty items are kept.
std::vector<std::string_view> items_of(std::string_view list);

} // namespace hostpin
