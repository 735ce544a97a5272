// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf_headers.hpp"
#include "toolchains/binary/pieces.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::binary {

/// Where a section of changed content is afterwards.
struct PlacedSection {
  std::size_t index = 0; ///< in the table of sections
  std::uint64_t address = 0, size = 0;
};

/// New content for a range of addresses, all inside the bytes of one LOAD segment.
struct ChangedRegion {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t content_at = 0; ///< address of the content; the rest of the region becomes free
  std::vector<Piece> content;
  /// All sections in the range, in ascending order; those that move elsewhere too.
  std::vector<PlacedSection> sections;
};

/// Content of a read-only LOAD segment that is added at the end.
struct AddedSegment {
  std::uint64_t alignment = 8; ///< of its first byte; a power of two up to 4096
  std::vector<Piece> content;
};

/// A section that is not loaded; replaces the one of that name.
struct AddedSection {
  std::string name;
  std::uint32_t type = 0;
  std::string content;
};

struct ElfChange {
  std::vector<ChangedRegion> regions;           ///< ascending
  std::map<std::uint64_t, std::string> patches; ///< by offset in the file; outside of the regions
  /// New values of symbols, by old ones, of those in the regions' sections; for debuggers: no other file uses
  /// them.
  std::map<std::uint64_t, std::uint64_t> symbols;
  std::optional<AddedSegment> added;
  std::optional<AddedSection> section;
};

/// Damage, as the end of a sentence about the file, if a linked file cannot be changed: its headers
/// contradict one another, it is signed, or it has data after its end.
Reading<bool> changeable(const Bytes& file, const ElfHeaders& headers);

/// The address of the added segment's first byte, after the same change without its content.
Reading<std::uint64_t> added_address(const Bytes& file, const ElfHeaders& headers, const ElfChange& change);

/// A changed copy of a linked file. Everything keeps its address, except for the content of regions. Free
/// parts of regions are cut out of the file as far as the alignment of its segments allows; a LOAD segment
/// becomes two for that. The program headers stay where they are: GNU strip turns a file in which they were
/// moved into one that crashes. If there is no room for more of them, the first sections, such as the build
/// id, move instead, which only the dynamic segment, program headers and symbols refer to; they come first in
/// their new segment, because GNU strip requires the sections of a segment to be in the order of their
/// addresses.
Reading<std::vector<Piece>> changed_elf(const Bytes& file, const ElfHeaders& headers,
                                        const ElfChange& change);

} // namespace hostpin::binary
