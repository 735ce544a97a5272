// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/pack/tree.hpp"

#include <string>
#include <vector>

namespace hostpin::pack {

/// What to pack in addition to the binding's toolchain.
struct Extras {
  std::string directory;          ///< the bound toolchain
  std::vector<std::string> whole; ///< of this installation, and what the user names
};

struct Contents {
  Tree tree;
  std::vector<std::string> notes; ///< what may be missing, for the user
};

struct Machine {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
};

/// All that a binding compiles and links with, as absolute paths: programs, headers and libraries of toolkit,
/// host compiler, stdenv and C library, the shell, and the shared libraries and loaders of all of these. An
/// error if an indispensable part is not found, or one of `extras` does not exist.
Result<Contents> toolchain_contents(const bind::Binding& binding, const Extras& extras,
                                    const Machine& machine);

/// The driver, its front ends and other programs, its headers and the C library's, start files and libraries.
Result<void> add_compiler(Contents& contents, const Compiler& compiler, const Machine& machine);

} // namespace hostpin::pack
