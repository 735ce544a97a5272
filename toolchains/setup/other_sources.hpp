// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/packages.hpp"

#include <string>
#include <vector>

namespace hostpin::setup {

/// A compiler that no package client here can bring.
struct Wish {
  Family family = Family::gcc;
  int major = 0;         ///< the newest that fits
  std::string machine;   ///< first part of the target, such as x86_64
  std::string directory; ///< where it is to be, absolute
};

/// Ways without root by which that compiler can be had, those whose program is on PATH first: conda-forge by
/// micromamba, mamba or conda, Nix, and Spack. Each ends with the command that binds it. Names as in
/// conda-forge's ctng-compilers and clang-compiler-activation feedstocks, nixpkgs, and Spack's packages.
std::vector<Advice> other_sources(const Wish& wish, const Environment& environment);

} // namespace hostpin::setup
