// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/packages.hpp"

#include <span>
#include <string>

namespace hostpin::setup {

/// Makes a CUDA toolkit in NVIDIA's layout (bin, nvvm, include, lib64) from the distribution's packages, in
/// `work`, which must not exist and may be renamed afterwards: with the libraries whose own packages are
/// among them. The packages' licence texts are in licenses/. An error names what the packages lack.
Result<void> make_toolkit(const Context& context, std::span<const std::string> archives,
                          const std::string& work, const std::string& place);

} // namespace hostpin::setup
