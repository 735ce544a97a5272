// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// What the headers of a Windows program or library say (PE32 or PE32+, Microsoft's PE Format specification).
struct PeImage {
  std::uint16_t machine = 0; ///< 0x8664 for x86-64, 0xaa64 for ARM64
  bool library = false;      ///< a DLL
  std::string name;          ///< of its export directory: the DLL's own; empty if it exports nothing
  std::vector<std::string>
      imports; ///< DLLs that it is linked to, in its order; also those loaded on first use
};

/// Nothing if the bytes are no PE file; damage if a table of it is outside the file or has no end.
binary::Reading<std::optional<PeImage>> read_pe(std::string_view bytes);

/// One member of an archive (`.lib`) for Microsoft's linker.
struct CoffMember {
  std::uint16_t machine = 0;
  std::string dll; ///< that it imports a symbol from; empty: an object with code
};

/// Nothing if the bytes are neither a short import object nor an object for a machine that is known here.
std::optional<CoffMember> read_coff_member(std::string_view bytes);

/// The DLLs that the members of an import library lead to, each once in its order, 64 at most; empty for
/// bytes that are no archive, or have none.
std::vector<std::string> imported_dlls(std::string_view bytes);

} // namespace hostpin::redist
