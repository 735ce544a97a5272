// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/library/elf.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// What a linker's -m asks for; nothing for one that is not known.
std::optional<ElfKind> kind_of_emulation(std::string_view emulation);

/// The kind of an ELF file, or of an archive's first ELF member, from its first bytes; nothing when they do
/// not show it. Opens regular files only.
std::optional<ElfKind> kind_of_file(const std::string& path);

/// No linker script is longer, in bytes.
inline constexpr std::size_t longest_script = 65536;

/// Whether a regular file could be a linker script: short, and no object, archive or bitcode by its first
/// bytes.
bool may_be_script(const std::string& path);

} // namespace hostpin
