// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/library/link_search.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::probe {

/// A library that a link uses. Versions are the highest that the file defines, without their prefix, and
/// empty if it defines none.
struct LinkedFacts {
  bool shared = true;      ///< an archive is linked into the program, and defines no versions
  std::string found;       ///< as the linker finds it: may be a symlink or a linker script
  std::string path;        ///< the file itself
  std::string soname;      ///< the name that a program loads
  std::string glibcxx;     ///< `3.4.30` of GLIBCXX_3.4.30
  std::string cxxabi;      ///< `1.3.13` of CXXABI_1.3.13
  std::string glibc;       ///< `2.36` of GLIBC_2.36, which the C library defines
  std::string gcc;         ///< `12.0.0` of GCC_12.0.0, which libgcc_s defines
  std::string needs_glibc; ///< the highest GLIBC_ version that the file itself needs from the C library
};

/// What is known of a compiler's standard library, or of headers without a compiler.
struct Facts {
  Compiler compiler;                  ///< for headers without command, and without what headers do not define
  std::string sysroot;                ///< of headers without a compiler; empty for loose directories
  bool by_compiler = true;            ///< true if a compiler was run; else headers were read
  std::optional<LinkedFacts> library; ///< the C++ standard library
  std::optional<LinkedFacts> c_library;       ///< libc
  std::optional<LinkedFacts> libgcc;          ///< libgcc_s
  std::map<std::string, std::string> unknown; ///< why a member of the answer is null, by its name
  std::vector<std::string> dependencies;      ///< absolute paths, files and directories, existing or not
};

/// Adds the reasons for members that are null because headers do not define them.
void explain_headers(Facts& facts);

/// Fills in what the link uses: the C++ standard library that belongs to the headers, libc and
/// libgcc_s. What it does not use is null, with the reason.
void take_linked(const Files& files, const cmdline::LinkerCommand& command, Facts& facts);

} // namespace hostpin::probe
