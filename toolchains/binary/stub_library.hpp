// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace hostpin::binary {

/// A shared library for linking only: it has the names of functions, and traps where one is called.
struct StubLibrary {
  std::uint16_t machine = 0; ///< e_machine: of x86-64, 64-bit Arm or little-endian 64-bit PowerPC
  std::string soname;
  /// Versions by name of a function: the last one is the default, the others are hidden. Without versions
  /// the function has none.
  std::map<std::string, std::set<std::string>> functions;
};

/// Whether stubs can be written for this e_machine.
bool has_stubs(std::uint16_t machine);

/// Versions that a stub can have: a version is a number of 15 bits, and the first two are not versions.
inline constexpr std::size_t most_stub_versions = 0x7ffe;

/// How many versions its functions have.
std::size_t version_count(const StubLibrary& stub);

/// The bytes of an ELF shared object of the 64-bit class and little-endian byte order. The same library gives
/// the same bytes. The machine is one that has stubs, names are not empty, and versions no more than
/// `most_stub_versions`.
std::string stub_bytes(const StubLibrary& stub);

} // namespace hostpin::binary
