// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"
#include "toolchains/library/elf_bytes.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hostpin {

/// The frame in which everything else of an ELF file stands.
struct ElfFrame {
  std::uint16_t type = 0; ///< e_type
  ElfKind kind;
  bool little = true;
  std::vector<ElfSection> sections; ///< in the file's order, without the first, empty one

  ElfBytes bytes(const ByteSource& source) const { return {source, kind.wide, little}; }
};

/// Reads the header and the section table; a file without one (sstrip) has no sections, one whose table is
/// damaged or beyond its end is an error.
Result<ElfFrame> read_frame(const ByteSource& source);

/// The compression header of a section with SHF_COMPRESSED, or of GNU's older .zdebug kind.
struct CompressedSection {
  enum class Method { zlib, zstd, unknown };
  Method method = Method::unknown;
  std::uint64_t offset = 0;   ///< of the compressed bytes
  std::uint64_t size = 0;     ///< of them
  std::uint64_t unpacked = 0; ///< bytes, as told
};

/// Nothing when the section is not compressed; `unknown` too when its header is damaged.
std::optional<CompressedSection> compressed_section(const ElfFrame& frame, const ElfSection& section,
                                                    const ByteSource& source);

} // namespace hostpin
