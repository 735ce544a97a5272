// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace hostpin::redist {

/// Whether the first version is the older one: parts between dots are compared as numbers, or as text if they
/// are none. NVIDIA's versions have two to five parts.
bool is_older(std::string_view version, std::string_view other);

} // namespace hostpin::redist
