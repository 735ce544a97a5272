// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// What a driver that runs another one (a script, mpicxx) adds to its command, for a compiler of the same
/// family. Determined by running both: a driver that adds other arguments to other calls is not understood.
struct Additions {
  std::string below;                      ///< the driver that it runs, as it calls it
  std::vector<std::string> before, after; ///< arguments, by their location relative to the user's
  std::vector<std::string>
      linker; ///< -B of directories with a linker, which makes programs for its C library
  std::vector<std::string> withheld; ///< arguments that are for the driver below only
  bool links_cxx = true;             ///< its links name a C++ library
};

/// What it adds to links. Its own loader, sysroot, and run paths to a C or C++ library are withheld, and such
/// directories are searched after the directories of the compiler that links. Nothing if the compiler's
/// command is not a wrapper. Runs three programs for one.
std::optional<Additions> added_to_links(const Compiler& compiler, const Files& files,
                                        const Processes& processes);

/// What it adds to preprocessing: definitions and directories of headers, except the headers of a compiler, a
/// C++ library or a C library. Everything else is withheld. All is in `before`: a directory that is searched
/// after the user's becomes one of system headers.
std::optional<Additions> added_to_compiles(const Compiler& compiler, const Files& files,
                                           const Processes& processes);

} // namespace hostpin
