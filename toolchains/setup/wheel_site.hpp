// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <span>
#include <string>

namespace hostpin::setup {

/// Unpacks wheels, several at a time, into one directory as pip does, without compiling Python files. The
/// directory must not exist. An error names the wheel, or the file that two wheels have with other content.
Result<void> make_wheel_site(std::span<const std::string> wheels, const std::string& site);

} // namespace hostpin::setup
