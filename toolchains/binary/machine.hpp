// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/elf.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::binary {

/// A processor for which files are built, as a text for users: `x86-64`, `aarch64`, `ppc64le`, `big-endian
/// aarch64`; `machine 190` for a number without a name.
std::string machine_name(const ElfKind& kind);
/// The same of a PE or COFF file's Machine field (Microsoft's PE Format specification): `x86-64`.
std::string pe_machine_name(std::uint16_t machine);

/// The kind of the programs of a target triple, such as `aarch64-linux-gnu`, by its first part; nothing if it
/// is not known.
std::optional<ElfKind> kind_of_triple(std::string_view triple);

/// Whether some Linux runs on that machine: device code (NVIDIA's 190, AMD's 224), BPF and microcontrollers
/// have numbers too, and are carried along as data by programs of every machine.
bool runs_linux(const ElfKind& kind);

/// Whether this machine's kernel and processor run such programs without an emulator: those of this program's
/// own kind, and 32-bit x86 on x86-64.
bool runs_here(const ElfKind& kind);

/// The same of a triple; true for one that is not known.
bool runs_here(std::string_view triple);

/// The triple of this machine's own programs, such as `x86_64-linux-gnu`.
std::string own_triple();

/// The Machine field at the beginning of a PE file, and whether it is a DLL.
struct PeHeader {
  std::uint16_t machine = 0; ///< 0x8664 for x86-64, 0xaa64 for ARM64
  bool library = false;
};

/// `beginning`: the first bytes of a file; nothing if they are not those of a PE file, or too few.
std::optional<PeHeader> pe_header(std::string_view beginning);

} // namespace hostpin::binary
