// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/library/elf_bytes.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hostpin {

/// Where a part of the file is loaded.
struct ElfSegment {
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0; ///< in the file
};

/// What the program headers tell the loader.
struct ElfSegments {
  std::vector<ElfSegment> loaded;
  std::optional<ElfSegment> dynamic;
  std::optional<ElfSegment> interpreter;
};

/// What the dynamic segment says: addresses, sizes, and indices into its string table, as they stand.
struct DynamicSegment {
  std::optional<std::uint64_t> strings, strings_size, soname, rpath, runpath, definitions, definition_count,
      needs, need_count, flags;
  std::vector<std::uint64_t> needed, loaded_besides;
};

/// Nothing when a program header lies outside the file.
std::optional<ElfSegments> read_segments(const ElfBytes& file);

/// Nothing when the segment lies outside the file, or lists more than any real one does.
std::optional<DynamicSegment> read_dynamic(const ElfBytes& file, const ElfSegment& segment);

/// Where in the file that is what is loaded at an address; nothing when it comes from no segment of it.
std::optional<std::uint64_t> offset_of(const ElfSegments& segments, std::uint64_t address);

} // namespace hostpin
