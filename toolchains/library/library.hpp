// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The standard library that a compiler links with, read from the file itself rather than derived from the
/// compiler's version: distributions share the newest library between all their GCCs.
struct LibraryFacts {
  StandardLibrary library; ///< with path, glibcxx and cxxabi filled in
  std::string found;  ///< as the driver's link finds it, symlinks not resolved; -L must name its directory
  std::string libgcc; ///< libgcc_s.so.1 as the driver finds it; empty if it has none
  std::vector<std::string> files; ///< absolute paths that these facts depend on
};

/// Queries the driver for its library's path and reads that file. An error if there is no shared C++ standard
/// library, or the file is not what its name claims.
Result<LibraryFacts> library_facts(const Files& files, const Processes& processes, const Compiler& compiler);

/// The highest version after `prefix` (`GLIBCXX_`, `CXXABI_`), compared as numbers (3.4.9 < 3.4.30); names
/// that are not a version (`CXXABI_TM_1`) do not count. Empty if there is none.
std::string highest_version(const binary::SharedObject& object, std::string_view prefix);

/// The same for the versions that the object needs from other libraries.
std::string highest_needed_version(const binary::SharedObject& object, std::string_view prefix);

/// The file names in the INPUT and GROUP commands of a linker script, in order, `-lname` included; empty if
/// the text is not such a script.
std::vector<std::string> script_inputs(std::string_view text);

/// The same for other commands with arguments in parentheses, such as EXTERN.
std::vector<std::string> script_words(std::string_view text, std::span<const std::string_view> commands);

} // namespace hostpin
