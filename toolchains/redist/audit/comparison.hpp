// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/blob.hpp"

#include <string>
#include <vector>

namespace hostpin::redist {

/// How an ELF file differs from the file that it may have been made from.
struct ElfComparison {
  bool is_same_build = false;           ///< equal build IDs, or equal machine code and constants
  std::vector<std::string> differences; ///< run path, NEEDED, soname, then section by section
  std::vector<std::string> tools;       ///< that left their marks: `patchelf`, `strip`, ...
};

/// Files that cannot be read as ELF of the 64-bit class and little-endian have no build.
ElfComparison compared(const binary::Blob& original, const binary::Blob& now);

/// Tools whose marks an ELF file has, without its original: `hostpin` (its note), `patchelf` (sections that
/// it moved or overwrote), `chrpath` (the rest of a longer run path), `strip` (no section headers).
std::vector<std::string> marks_of_tools(const binary::Blob& file);

} // namespace hostpin::redist
