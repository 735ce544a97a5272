// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"

#include <span>

namespace hostpin::hot {

/// One call of our `nvcc`: becomes the real one. Returns an exit code only when that was refused or failed.
int run_nvcc(const Self& self, std::span<const char* const> arguments, char* const* envp);

/// One call of our `c++`: becomes the host compiler or the stdenv's driver.
int run_cxx(const Self& self, std::span<const char* const> arguments, char* const* envp);

} // namespace hostpin::hot
