// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/elf_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hostpin::binary {

inline constexpr std::uint64_t program_header_bytes = sizeof(Elf64_Phdr);

/// Whether the dynamic entry has the address of a table that may be among the sections that move.
bool is_address_of_table(std::int64_t tag);

/// The end of the bytes of a file that are used, without what a changed copy has after them: the headers of
/// sections, their names, and the section of this name.
std::uint64_t end_of_content(const ElfHeaders& headers, std::string_view replaced);

/// Where everything is in a changed file: what becomes free, which program headers that takes, where room for
/// them comes from. Stores references to its arguments.
class ElfLayout {
public:
  using Address = std::uint64_t;
  using Offset = std::uint64_t;

  /// Addresses that become free.
  struct Hole {
    Address begin = 0, end = 0;
    Offset offset = 0;     ///< of `begin` in the old file
    std::uint64_t cut = 0; ///< bytes that the file loses from there on
    bool splits = false;   ///< its segment becomes two
  };
  /// The first sections, if they move.
  struct Block {
    Address begin = 0, end = 0; ///< old
    Offset offset = 0;          ///< old
    Address moved_to = 0;
    std::uint64_t alignment = 1;

    std::uint64_t size() const { return end - begin; }
    bool contains(Address address) const { return address >= begin && address < end; }
    std::uint64_t delta() const { return moved_to - begin; }
  };

  static Reading<ElfLayout> of(const Bytes& file, const ElfHeaders& headers, const ElfChange& change);

  const std::vector<Hole>& holes() const { return holes_; } ///< ascending
  const std::optional<Block>& block() const { return block_; }
  /// Of what is copied, in the old file.
  Offset content_end() const { return content_end_; }
  /// Of the added segment, which begins with the block if there is one, and of the content in it.
  Address added_begin() const { return added_begin_; }
  Address added_content() const { return added_content_; }
  Offset added_offset() const { return rounded_up(new_offset(content_end_), 16); }
  std::uint64_t added_size() const;

  Offset new_offset(Offset old) const;
  bool moves_with_block(const Elf64_Shdr& section) const;
  std::vector<Elf64_Phdr> programs() const;
  /// The old ones; those of names and of the added section are not final.
  std::vector<Elf64_Shdr> sections() const;

private:
  ElfLayout(const Bytes& file, const ElfHeaders& headers, const ElfChange& change);

  Reading<bool> plan();
  Reading<bool> check_region(const ChangedRegion& region) const;
  Reading<bool> find_holes();
  void add_hole(Address begin, Address end);
  void set_cut(Hole& hole) const;
  std::size_t needed() const;
  std::size_t room() const;
  bool make_room();
  std::optional<Block> first_sections(std::size_t programs) const;
  bool is_movable(const Elf64_Shdr& section) const;
  bool is_referred_to(const Block& block) const;
  bool has_whole_tables(const Block& block) const;
  bool place_block(Block block);
  void place_added();
  bool is_aligned() const;

  bool is_shifted() const;
  Offset offset_of(Address address) const;
  void add_load(const Elf64_Phdr& load, std::vector<Elf64_Phdr>& result) const;

  const Bytes* file_;
  const ElfHeaders* headers_;
  const ElfChange* change_;
  std::uint64_t unit_; ///< of what is cut, and of segments
  std::vector<Hole> holes_;
  std::optional<Block> block_;
  Offset content_end_ = 0;
  Address added_begin_ = 0, added_content_ = 0;
};

} // namespace hostpin::binary
