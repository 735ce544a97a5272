// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace hostpin::command {

/// What `hostpin --version` prints, without a line end: the release, and how it was built: compiler and its
/// C++ library, machine, and the releases of the libraries whose headers were compiled in.
std::string version_text();

} // namespace hostpin::command
