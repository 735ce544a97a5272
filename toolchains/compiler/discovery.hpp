// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/own_programs.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// A driver that may be a C++ compiler; only asking it (probe.hpp) tells.
struct DriverCandidate {
  /// Driver as it was spelt, made absolute with symlinks kept, then the arguments that were behind it.
  std::vector<std::string> command;
  std::string origin; ///< who named it, or the kind of place it lay in
};

/// A driver in the words of a user (`g++-13`, `ccache g++ -m64`) and who says so (`--stdenv`, `$CXX`).
struct NamedDriver {
  std::string words;
  std::string by;
};

/// Makes a candidate of what a user named. A bare name is looked up in the absolute entries of PATH. An error
/// when it is not there, cannot be executed, or is our own program.
Result<DriverCandidate> named_driver(const Files& files, const Environment& environment,
                                     const NamedDriver& named, const IsOwn& is_own);

/// The stdenv's driver: `named` when there is one, else $CXX, else `c++`, `g++`, `clang++` on PATH. A $CXX
/// that is our own `c++` counts as unset. An error when what was named cannot be used, or when there is no
/// C++ compiler at all.
Result<DriverCandidate> find_stdenv(const Files& files, const Environment& environment,
                                    const std::optional<NamedDriver>& named, const IsOwn& is_own);

struct DriverSearch {
  std::vector<DriverCandidate> candidates; ///< in order of precedence
  std::vector<BrokenCompiler> rejected;    ///< configured ones that are not there
  /// Every directory that was looked into or would have been, present or not: a new compiler changes the
  /// modification time of one of them, or makes one appear.
  std::vector<std::string> looked;
};

/// Where discovery may find candidates: all over the machine, or only among those that are configured.
enum class SearchScope { machine, named };

/// Everything on this machine that is named like a C++ driver: the configured ones, then PATH, then the
/// places where toolsets, Spack, conda, Nix, Homebrew and LLVM packages keep theirs. Links to one and the
/// same driver are listed once, unless the driver could tell by its name which of its roles to play. The
/// configured ones alone with SearchScope::named.
DriverSearch discover_drivers(const Files& files, const Environment& environment,
                              const std::vector<std::string>& configured, const IsOwn& is_own,
                              SearchScope scope = SearchScope::machine);

} // namespace hostpin
