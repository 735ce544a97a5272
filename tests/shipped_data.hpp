// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace hostpin::test {

/// The absolute path of a file or directory of this checkout, or of its build directory. Only one object
/// contains these paths, so that a compiler cache has the other objects for every checkout.
std::string in_checkout(const std::string& path);
std::string in_build(const std::string& path);

/// The directory of the TOML data that is shipped.
const std::string& shipped_data();

} // namespace hostpin::test
