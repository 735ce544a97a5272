// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf_headers.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace hostpin::binary {

/// A word of a linked file that the loader changes.
struct RelocatedWord {
  std::uint64_t address = 0;
  /// Whether the loader adds only the load address: by DT_RELR, or a relocation such as R_X86_64_RELATIVE.
  bool relative = false;
  std::uint64_t target = 0; ///< the address, or the addend of another relocation
  std::uint64_t symbol = 0; ///< its index; 0 for none
  std::optional<std::uint64_t>
      addend_at; ///< file offset of the addend; nothing by DT_RELR: it is in the word
};

/// Whether relative relocations of this processor are known: x86-64, AArch64 and 64-bit PowerPC.
bool has_known_relocations(std::uint16_t machine);

/// Visits the words of DT_RELA, DT_JMPREL and DT_RELR until the visitor returns a damage.
Reading<bool> each_relocated_word(const Bytes& file, const ElfHeaders& headers,
                                  const std::function<Reading<bool>(const RelocatedWord&)>& visit);

} // namespace hostpin::binary
