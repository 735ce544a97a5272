// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/elf.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// The kind of an ELF file, or of an archive's first ELF member, from its first bytes; nothing if they do not
/// show it. Opens regular files only.
std::optional<ElfKind> kind_of_file(const std::string& path);

/// No linker script is longer, in bytes.
inline constexpr std::size_t longest_script = 65536;

/// Number of first bytes that are enough to recognize one.
inline constexpr std::size_t script_head = 16;

/// Whether a regular file of that size in bytes, whose first `script_head` are `head`, could be a linker
/// script: short, not empty, and not an object, archive or bitcode.
bool may_be_script(std::string_view head, std::uint64_t size);

} // namespace hostpin
