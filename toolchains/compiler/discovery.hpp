// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The words of a compiler's command as `command_words` splits it, but a path may contain blanks without
/// quotes: the longest prefix that is a file's path is its first word. nvcc uses the whole value as a path,
/// and CMake the longest such prefix.
Result<std::vector<std::string>> driver_words(const Files& files, const std::string& text);

/// A driver that may be a C++ compiler; a probe (probe.hpp) decides.
struct DriverCandidate {
  /// Driver as it was spelt, made absolute with symlinks not resolved, then the arguments after it.
  std::vector<std::string> command;
  std::string origin; ///< what named it, or the kind of location it was found in
};

/// A driver as a user named it (`g++-13`, `ccache g++ -m64`), and with what (`--stdenv`, `$CXX`).
struct NamedDriver {
  std::string words;
  std::string by;
};

/// Makes a candidate of what a user named. A bare name is looked up in the absolute entries of PATH. An error
/// if it does not exist, cannot be executed, or is one of hostpin's programs.
Result<DriverCandidate> named_driver(const Files& files, const Environment& environment,
                                     const NamedDriver& named, const IsOwn& is_own);

/// The stdenv's driver: `named` if given, else $CXX, else `c++`, `g++`, `clang++` on PATH. A $CXX that is
/// hostpin's `c++` counts as unset. An error if what was named cannot be used, or if there is no C++ compiler
/// at all.
Result<DriverCandidate> find_stdenv(const Files& files, const Environment& environment,
                                    const std::optional<NamedDriver>& named, const IsOwn& is_own);

/// The cross driver of a target on PATH: `TRIPLE-c++`, else `TRIPLE-g++`, else `TRIPLE-clang++`. An error if
/// there is none.
Result<DriverCandidate> find_cross_stdenv(const Files& files, const Environment& environment,
                                          const std::string& triple, const IsOwn& is_own);

struct DriverSearch {
  std::vector<DriverCandidate> candidates; ///< in order of precedence
  std::vector<BrokenCompiler> rejected;    ///< configured ones that cannot be used
  /// Every directory that was searched, including absent ones: a new compiler changes the modification time
  /// of one of them, or creates one.
  std::vector<std::string> looked;
};

/// Where discovery searches: everywhere on the machine, or only among the configured compilers.
enum class SearchScope { machine, named };

/// Everything on this machine that is named like a C++ driver: the configured ones, then PATH, then the
/// directories of toolsets, Spack, conda, Nix, Homebrew and LLVM packages. Links to the same driver are
/// listed once, unless the driver's behaviour may depend on the name. With SearchScope::named, only the
/// configured ones.
DriverSearch discover_drivers(const Files& files, const Environment& environment,
                              const std::vector<std::string>& configured, const IsOwn& is_own,
                              SearchScope scope = SearchScope::machine);

} // namespace hostpin
