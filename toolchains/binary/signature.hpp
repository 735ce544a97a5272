// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf_headers.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace hostpin::binary {

/// Where an ELF file has a signature of its own bytes, as the end of a sentence about the file, such as `it
/// is signed: it has a section .sig`: in a section, or appended as the kernel's sign-file does for modules.
std::optional<std::string> signature_in(const Bytes& file, const ElfHeaders& headers);

/// What the file system has that holds for these bytes alone, likewise: a signature of IMA or EVM in an
/// extended attribute, or fs-verity. A detached signature in another file is not found.
std::optional<std::string> signature_of(const OpenFile& file);

/// Whether the value of security.ima or security.evm is a signature. Otherwise it is a digest, which the
/// kernel updates.
bool is_signature(std::string_view attribute);

} // namespace hostpin::binary
