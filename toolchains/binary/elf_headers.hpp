// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"

#include <cstdint>
#include <elf.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::binary {

/// The headers of an ELF file of the 64-bit class and little-endian byte order, as elf.h declares them: what
/// is read of a file before parts of it are changed.
struct ElfHeaders {
  Elf64_Ehdr file{};
  std::vector<Elf64_Phdr> programs; ///< empty in an object
  std::vector<Elf64_Shdr> sections; ///< empty if they were removed
  std::string names;                ///< of the sections; ends with a NUL

  bool is_linked() const { return file.e_type == ET_EXEC || file.e_type == ET_DYN; }
  std::string_view name(const Elf64_Shdr& section) const;
  /// The first section of that name, or null.
  const Elf64_Shdr* section_named(std::string_view name) const;
  /// The LOAD segment whose bytes in the file include this address, or null.
  const Elf64_Phdr* segment_of(std::uint64_t address) const;
  /// The offset in the file of an address, if `size` bytes from there on are in one segment.
  std::optional<std::uint64_t> offset_of(std::uint64_t address, std::uint64_t size) const;
  /// The value of an entry of the dynamic segment, such as DT_RELA; nothing if there is none.
  std::optional<std::uint64_t> dynamic(std::int64_t tag) const;

  std::vector<Elf64_Dyn> dynamics; ///< up to DT_NULL; empty in a statically linked program
};

/// Nothing if the bytes are no ELF file, or one of another class or byte order. Damage if a table is outside
/// the file, or has entries of another size than ELF's.
Reading<std::optional<ElfHeaders>> read_elf_headers(const Bytes& file);

/// Damage if segments or sections of a linked file reach past its `size`, or if they disagree on the bytes of
/// an address.
Reading<bool> consistent(const ElfHeaders& headers, std::uint64_t size);

/// Whether the section is in memory when the program runs.
inline bool is_loaded(const Elf64_Shdr& section) {
  return (section.sh_flags & SHF_ALLOC) != 0;
}

/// Whether the section has bytes in the file.
inline bool has_bytes(const Elf64_Shdr& section) {
  return section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS && section.sh_size != 0;
}

/// Copies one structure of elf.h; nothing if it is outside the file.
template <typename T>
std::optional<T> read_structure(const Bytes& file, std::uint64_t offset) {
  T value;
  if (!file.read(offset, reinterpret_cast<char*>(&value), sizeof value))
    return std::nullopt;
  return value;
}

/// The bytes of one such structure, of several, or of a number.
template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

} // namespace hostpin::binary
