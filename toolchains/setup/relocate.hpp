// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/elf.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::setup {

/// Where a root has what each of its programs needs, as paths below it.
struct RootLayout {
  std::string loader;              ///< such as `usr/lib64/ld-linux-x86-64.so.2`
  std::string libraries;           ///< the directory of its C library, such as `usr/lib/x86_64-linux-gnu`
  std::string triplet;             ///< `x86_64-linux-gnu`; empty if its libraries are in no such directory
  std::vector<std::string> llvm{}; ///< directories of LLVM's libraries, such as `usr/lib/llvm-19/lib`
};

/// The error says what the packages lack.
Result<RootLayout> root_layout(const std::string& root);

/// What the loader reads of a file; nothing if it is no ELF file, or is linked statically.
std::optional<binary::Image> image_of(const std::string& file);

/// Whether a library needs more than the C library, which it looks for by its own search path, or by none.
bool needs_others(const binary::Image& library);

/// Makes the programs of `root` run once that directory is called `place`, with the root's own loader and
/// libraries. Libraries that need more than the C library get a search path too: programs that the compilers
/// make may carry a RUNPATH alone, and must not find the machine's libm below the root's libstdc++.
Result<void> relocate(const std::string& root, const std::string& place, const RootLayout& layout);

} // namespace hostpin::setup
