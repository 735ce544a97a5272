// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/version.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

enum class Family { gcc, clang, other };

/// `gcc`, `clang` or `other`.
const char* to_string(Family family);

/// The C++ standard library that a driver's headers and links use.
struct StandardLibrary {
  std::string kind;              ///< `libstdc++` or `libc++`, empty when neither was seen
  int release = 0;               ///< _GLIBCXX_RELEASE (a GCC major), 0 when unknown
  int version = 0;               ///< _LIBCPP_VERSION, such as 190107 for 19.1.7; 0 when it is not libc++
  std::optional<bool> cxx11_abi; ///< _GLIBCXX_USE_CXX11_ABI, as the flags leave it; nothing where unknown
  std::string path;    ///< the shared library that a link takes (symlinks resolved), empty when unknown
  std::string glibcxx; ///< highest GLIBCXX_ version it defines, such as `3.4.30`
  std::string cxxabi;  ///< highest CXXABI_ version it defines, such as `1.3.13`
};

/// A C++ driver as it answered when asked; nothing in here is guessed from its name.
struct Compiler {
  /// How it is called: the driver as the user or PATH spells it (made absolute, symlinks kept), then
  /// arguments the user put behind it (`CXX="ccache g++ -m64"`).
  std::vector<std::string> command;
  std::string origin; ///< who named it: `--stdenv`, `$CXX`, `PATH`, `configuration`, ...
  Family family = Family::other;
  std::string product; ///< what it calls itself when that says more than the family: `icx`, `nvc++`, ...
  Version version;     ///< of GCC or Clang, from the predefined macros
  std::string target;  ///< normalised triple from the driver, such as `x86_64-linux-gnu`
  std::optional<Version> glibc; ///< of its headers; nothing for another C library
  std::string c_library;      ///< what its headers are: `glibc`, `uclibc`, `bionic`, ...; empty when unknown
  long default_cplusplus = 0; ///< __cplusplus without any -std
  bool default_pie = false;   ///< makes position independent programs without being told
  std::string front_end; ///< cc1plus or clang itself, symlinks resolved: the real compiler behind any wrapper
  std::string gcc_install; ///< directory of the GCC installation whose crtbegin.o and libgcc it uses
  std::vector<std::string> include_directories; ///< as searched, in order
  std::string c_headers;   ///< the one of them that holds the C library's math.h; empty when none does
  StandardLibrary library; ///< release always; path and versions only where they were asked for
  std::vector<std::string>
      files; ///< absolute paths its answer rests on: driver, its symlink target, front end
};

/// A driver that was found but could not be used, with the reason in words.
struct BrokenCompiler {
  std::vector<std::string> command;
  std::string origin;
  std::string reason;
};

} // namespace hostpin
