// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"

#include <span>

namespace hostpin::hot {

/// A call of hostpin's `nvcc`: becomes the real one. Returns an exit code only if that is refused or fails.
int run_nvcc(const Self& self, std::span<const char* const> arguments, char* const* envp);

/// A call of hostpin's `c++`: becomes the host compiler or the stdenv's compiler driver.
int run_cxx(const Self& self, std::span<const char* const> arguments, char* const* envp);

} // namespace hostpin::hot
