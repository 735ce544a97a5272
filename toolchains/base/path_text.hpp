// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace hostpin {

/// What stands after the last slash; all of it where there is none.
std::string_view base_name(std::string_view path);

/// The directory that a file lies in, as far as its name tells: `.` for a bare name, `/` for a name in the
/// root, nothing for nothing.
std::string directory_of(std::string_view path);

} // namespace hostpin
