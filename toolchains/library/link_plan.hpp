// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/library/library.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Links a small program that needs the C++ library by the command, and discards the output; undefined
/// symbols are errors, even if a shared library is made. Returns the first error of the driver or the linker;
/// nothing if the link succeeds. Takes about as long as compiling an empty file.
std::optional<Error> failed_link(const std::vector<std::string>& command, const Processes& processes);

/// How links of the host compiler's objects use the stdenv's libraries.
struct LinkPlan {
  std::vector<std::string> command;   ///< driver, then leading arguments
  std::string how;                    ///< as text: `the stdenv's own driver`, ...
  std::vector<std::string> notes;     ///< for the user; may be empty
  std::vector<std::string> last = {}; ///< arguments after the user's, of links only
};

/// Within a family the stdenv's driver links. Across families the host compiler's driver does, because the
/// libraries it adds by default (OpenMP, sanitizers, profiling) must match the objects, with the stdenv's
/// libstdc++ pinned and its sysroot, loader and run paths passed on; headers stay the host compiler's.
/// Such a plan has been tried once. An error if such a link cannot be right: another target, kind of standard
/// library or C library, headers of a newer glibc than the stdenv's, or a driver that takes other libraries
/// anyway. `facts` describe the stdenv.
Result<LinkPlan> plan_link(const Compiler& host, const Compiler& stdenv, const LibraryFacts& facts,
                           const Files& files, const Processes& processes);

} // namespace hostpin
