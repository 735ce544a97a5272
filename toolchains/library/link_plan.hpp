// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/library/library.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// How links of the host compiler's objects get the stdenv's libraries.
struct LinkPlan {
  std::vector<std::string> command; ///< driver, then leading arguments
  std::string how;                  ///< for a person: `the stdenv's own driver`, ...
  std::vector<std::string> notes;   ///< what a person should know of it; may be empty
};

/// Within a family the stdenv's driver links. Across families the host compiler's driver does, because what
/// it adds by itself (OpenMP, sanitizers, profiling) must match the objects, with the stdenv's libstdc++
/// pinned. An error when such a link cannot be right: another C library, loader, target or kind of standard
/// library. `facts` are those of the stdenv.
Result<LinkPlan> plan_link(const Compiler& host, const Compiler& stdenv, const LibraryFacts& facts,
                           const Files& files, const Processes& processes);

} // namespace hostpin
