// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

enum class Family { gcc, clang, other };

/// `gcc`, `clang` or `other`.
constexpr const char* to_string(Family family) {
  return family == Family::gcc ? "gcc" : family == Family::clang ? "clang" : "other";
}

/// The C++ standard library that a driver's headers and links use.
struct StandardLibrary {
  std::string kind;              ///< `libstdc++` or `libc++`, empty if neither was found
  int release = 0;               ///< _GLIBCXX_RELEASE (a GCC major), 0 if unknown
  int version = 0;               ///< _LIBCPP_VERSION, such as 190107 for 19.1.7; 0 if it is not libc++
  std::optional<bool> cxx11_abi; ///< _GLIBCXX_USE_CXX11_ABI under the driver's flags; nothing if unknown
  std::string path;    ///< the shared library that a link uses (symlinks resolved), empty if unknown
  std::string glibcxx; ///< highest GLIBCXX_ version it defines, such as `3.4.30`
  std::string cxxabi;  ///< highest CXXABI_ version it defines, such as `1.3.13`
};

/// A C++ driver as its own output describes it; nothing is guessed from its name.
struct Compiler {
  /// How it is called: the driver as the user or PATH spells it (made absolute, symlinks not resolved), then
  /// arguments that the user put after it (`CXX="ccache g++ -m64"`).
  std::vector<std::string> command;
  std::string origin; ///< what named it: `--stdenv`, `$CXX`, `PATH`, `configuration`, ...
  Family family = Family::other;
  std::string product;          ///< its name if that is more specific than the family: `icx`, `nvc++`, ...
  Version version;              ///< of GCC or Clang, from the predefined macros
  std::string target;           ///< normalised triple from the driver, such as `x86_64-linux-gnu`
  std::optional<Version> glibc; ///< of its headers; nothing for another C library
  std::string c_library; ///< the library of its headers: `glibc`, `uclibc`, `bionic`, ...; empty if unknown
  long default_cplusplus = 0; ///< __cplusplus without any -std
  bool default_pie = false;   ///< makes position-independent programs by default
  std::string front_end;   ///< cc1plus or clang itself, symlinks resolved: the compiler that any wrapper runs
  std::string gcc_install; ///< directory of the GCC installation whose crtbegin.o and libgcc it uses
  std::vector<std::string> include_directories; ///< as searched, in order
  std::string c_headers;   ///< the one of them that contains the C library's math.h; empty if none does
  StandardLibrary library; ///< release always; path and versions only if they were queried
  std::vector<std::string>
      files; ///< absolute paths that its answer depends on: driver, its symlink target, front end
};

/// A driver that was found but cannot be used, with the reason as text.
struct BrokenCompiler {
  std::vector<std::string> command;
  std::string origin;
  std::string reason;
  ErrorKind kind = ErrorKind::other;
};

} // namespace hostpin
