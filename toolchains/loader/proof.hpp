// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/loader/loader.hpp"

#include <functional>
#include <string>
#include <vector>

namespace hostpin::loader {

/// A link that has just succeeded.
struct LinkToProve {
  std::string output;  ///< the file that was written
  std::string loader;  ///< path of the loader that links are made for
  LoaderPlaces places; ///< where that loader searches
  std::string library; ///< the C++ library that programs have to load, under its soname; may be empty
  /// Paths of the files that the link may have read; called only if something is wrong.
  std::function<std::vector<std::string>()> inputs;
};

struct Proof {
  enum class Outcome {
    holds,     ///< every need is met
    skipped,   ///< it is unknown what would be loaded; the message has the reason
    doubtful,  ///< whether it works depends on the program that loads it, the path, and the environment
    disproved, ///< it cannot start where it was built
  };
  Outcome outcome = Outcome::holds;
  std::string message; ///< text of several lines; empty if it holds
  std::string hint;    ///< the fix
};

/// The result for an output if a file that decides cannot be read, with the errno that has the reason.
Proof unproven(const std::string& output, const std::string& file, int reason);

/// Compares every symbol version that the output and the libraries it will load need with what those
/// libraries define. Disproved are programs, and shared libraries that a run path leads to the wrong file.
/// Any other shared library is doubtful: a program that loads it may bring the right one. So are a program
/// with a run path to a directory that does not exist yet, which may get the right library, and one that only
/// the current LD_LIBRARY_PATH misleads. A need that LD_LIBRARY_PATH satisfies is satisfied: environment
/// modules work that way. A library that is not found is not an unmet need, as stubs are missing on purpose;
/// only a program that finds no C or C++ library at all is doubtful.
///
/// What another machine will run (`LoaderPlaces::elsewhere`) is judged by that machine's root directory, as
/// if it ran there. Without one, the libraries of the cross compiler stand for that machine's, which may be
/// newer: a need that only those do not meet is doubtful. LD_LIBRARY_PATH and the cache are this machine's
/// and must be empty.
Proof prove(const LinkToProve& link);

} // namespace hostpin::loader
