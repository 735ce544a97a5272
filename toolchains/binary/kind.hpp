// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/sections.hpp"

#include <string>
#include <string_view>

namespace hostpin::binary {

/// The kind of an input other than an archive, by its first bytes.
enum class InputKind { object, bitcode, fatbin, ltoir, other };

/// Damage if it is an empty file, or ends within the magic of one of these.
Reading<InputKind> input_kind(const Bytes& input);

/// What a reader of intermediate code uses a section of an object for.
enum class SectionRole {
  none,
  gcc_version,      ///< from GCC 10 on: the version of a translation unit's bytecode
  gcc_declarations, ///< every translation unit has one
  gcc_assembler,    ///< assembler text of a translation unit; most have none
  gcc_symbols,      ///< its symbol table
  gcc_other,        ///< other bytecode of GCC
  llvm_module,      ///< a module next to machine code
  device,           ///< device code of several kinds
  comment,          ///< which compiler made it
};

/// `name` begins with the section's name, which ends at a NUL or at the end of `name`.
SectionRole role(const ObjectSection& section, std::string_view name);

/// Whether sections of this type are scanned: relocations, symbols and the like never contain code.
bool may_hold_code(const ObjectSection& section);

/// Whether a file, or a member of an archive, contains intermediate code, or is too damaged to determine
/// that: whether `scan_lto_input` has to run. Reads only headers and stops at the first match, for the
/// launcher: no LLVM and no decompression.
bool may_hold_lto(const std::string& path);

/// The same for one input other than an archive.
bool may_hold_lto(const Bytes& input);

} // namespace hostpin::binary
