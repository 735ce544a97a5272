// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace hostpin::redist {

/// The text of `nvcc.profile` for a root with `include` and `lib` directly in it.
std::string one_target_profile(std::string_view text);

/// A pkg-config file two directories below the one with `include` and `lib`: its directories relative to
/// itself, and the stubs on the command line of the driver's.
std::string relocatable_pkgconfig(std::string_view text);

/// Whether the pkg-config file links the driver's library and does not lead to its stubs.
bool lacks_stubs(std::string_view pkgconfig);

} // namespace hostpin::redist
