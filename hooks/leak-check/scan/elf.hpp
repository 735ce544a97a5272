// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/elf.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;   ///< SHT_*
  std::uint64_t flags = 0;  ///< SHF_*
  std::uint64_t offset = 0; ///< in the file or member
  std::uint64_t size = 0;   ///< bytes in the file; 0 for SHT_NOBITS

  bool is_loaded() const { return (flags & 2U) != 0; }         ///< SHF_ALLOC: in memory when the program runs
  bool is_compressed() const { return (flags & 0x800U) != 0; } ///< SHF_COMPRESSED
};

/// The structure of an ELF file, which all other reads depend on.
struct ElfFrame {
  std::uint16_t type = 0; ///< e_type
  binary::ElfKind kind;
  bool little = true;
  std::vector<ElfSection> sections; ///< in the file's order, without the null section
  std::uint64_t table_end = 0;      ///< offset of the section table's end in the file

  binary::ElfBytes bytes(const binary::ByteSource& source) const { return {source, kind.wide, little}; }
};

/// Reads the header, without the sections.
Result<ElfFrame> read_header(const binary::ByteSource& source);

/// Reads the section table. A file without one (sstrip) has no sections; a table that is damaged or outside
/// the file is an error, and leaves none.
Result<void> read_sections(const binary::BlobSource& source, ElfFrame& frame);

/// The compression header of a section with SHF_COMPRESSED, or of GNU's older .zdebug kind.
struct CompressedSection {
  enum class Method { zlib, zstd, unknown };
  Method method = Method::unknown;
  std::uint64_t offset = 0;       ///< of the compressed bytes
  std::uint64_t size = 0;         ///< of them
  std::uint64_t decompressed = 0; ///< decompressed size, as declared
};

/// Nothing if the section is not compressed; `unknown` also if its header is damaged.
std::optional<CompressedSection> compressed_section(const ElfFrame& frame, const ElfSection& section,
                                                    const binary::ByteSource& source);

struct ElfReading {
  ElfFrame frame;                    ///< without sections if their table is damaged
  ElfFacts facts;                    ///< as far as they could be read
  std::vector<std::string> troubles; ///< parts that could not be read, one sentence each
};

/// Reads the properties of a file that begins with ELF's magic; `LinkedIn` finds the others.
ElfReading read_elf(const binary::BlobSource& source);

/// What the loader would read of a file, symlinks followed; nothing if it could not use it. Unlike
/// `image_on_disk` it maps nothing, so that a file which is truncated meanwhile is only an unreadable one.
std::optional<binary::Image> read_image_of(const std::string& path);

/// Likewise; nothing if they are not known.
std::optional<loader::CudaFunctions> read_cuda_functions_of(const std::string& path);

/// Searches the constants of an ELF file, while it is read, for strings of libraries that may be linked in.
class LinkedIn {
public:
  /// Without sections nothing is searched.
  explicit LinkedIn(const std::vector<ElfSection>& sections = {});

  /// Pieces of the file in any order; adjacent ones must overlap by `overlap` bytes.
  void search(std::uint64_t offset, std::string_view bytes);
  static constexpr std::size_t overlap = 64; ///< more than the longest string

  /// Adds the results of another part of the same file.
  void merge(const LinkedIn& other);
  void set_facts(ElfFacts& facts) const;

private:
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Range> constants_;
  std::array<bool, 3> seen_{};
};

} // namespace hostpin::leak
