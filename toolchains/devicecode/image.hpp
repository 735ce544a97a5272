// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf_headers.hpp"
#include "toolchains/binary/elf_writer.hpp"
#include "toolchains/binary/fatbin.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::devicecode {

/// One fatbin in a file. All offsets are counted from the beginning of the file, also the offsets
/// of its entries (`EmbeddedCode::at`, `EmbeddedCode::fatbin`).
struct Fatbin {
  std::uint64_t at = 0;
  std::uint64_t address = 0; ///< 0 in an object
  std::uint64_t header = 0;  ///< bytes before the first entry
  std::uint64_t content = 0; ///< bytes of all entries
  std::vector<binary::EmbeddedCode> entries;
  /// Indices of those that point to it; empty in an object. In a linked file without any, as in some of
  /// NVIDIA's libraries, its address may be in the program's code, so that it has to stay where it is,
  /// unchanged.
  std::vector<std::size_t> wrappers;
  /// Whether it is the stub of nvcc's link: a device link wrote it without entries, and the file has no
  /// relocatable code that the driver would link instead. Nothing in it can be missing.
  bool is_stub = false;

  std::uint64_t size() const { return header + content; }
};

/// A section of fatbins.
struct DeviceSection {
  std::string name;
  std::size_t index = 0; ///< in the table of sections
  std::uint64_t at = 0, address = 0, size = 0;
  bool relocatable = false; ///< `__nv_relfatbin`: input of a device link
  std::vector<Fatbin> fatbins;
};

/// Where a linked file stores an address. The loader adds the difference between the addresses at which the
/// file was linked and loaded to it.
struct StoredAddress {
  std::uint64_t at = 0; ///< file offset of its 8 bytes
  /// Whether these bytes are the address: without relocation, by DT_RELR, or because GNU ld writes them
  /// besides a relocation. Otherwise they are zero.
  bool in_place = false;
  std::optional<std::uint64_t> addend; ///< file offset of the addend of its RELATIVE relocation
};

/// A wrapper of a linked file.
struct Wrapper : binary::FatbinWrapper {
  std::uint64_t at = 0, address = 0;
  std::uint64_t fatbin = 0;       ///< the address in `pointer`
  StoredAddress pointer;          ///< to the fatbin
  std::uint64_t file_or_list = 0; ///< version 2: address of the list of prelinked fatbins
};

/// The device code of an ELF file that can be changed.
struct Image {
  binary::ElfHeaders headers;
  std::vector<DeviceSection> sections; ///< in the file's order; empty if it holds no device code
  std::vector<Wrapper> wrappers;       ///< of a linked file

  bool is_linked() const { return headers.is_linked(); }
  std::uint64_t bytes() const; ///< of all fatbins
  /// Changes what points to a fatbin of a linked file, which moves to another address.
  void redirect(const Fatbin& fatbin, std::uint64_t to, binary::ElfChange& change) const;
};

/// Reads an object, a program or a shared library. Nothing if it is not an ELF file of the 64-bit class and
/// little-endian byte order. Damage, as the end of a sentence about the file, also for what cannot be changed
/// safely: a wrapper of an unknown version, an address in a section of fatbins that no wrapper explains.
binary::Reading<std::optional<Image>> read_image(const binary::Bytes& file);

/// An offset or address as messages have it: `0x1f`.
std::string hexadecimal(std::uint64_t value);

} // namespace hostpin::devicecode
