// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/elf_layout.hpp"

#include "toolchains/binary/elf_relocations.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hostpin::binary {

namespace {

using Address = std::uint64_t;
using Offset = std::uint64_t;
constexpr std::uint64_t largest_page = 0x10000;
/// A segment begins before the block, because llvm-objcopy takes the first program header of an offset for
/// the one that includes the others, and that of the interpreter precedes all segments.
constexpr std::uint64_t before_block = 64;

std::uint64_t down(std::uint64_t value, std::uint64_t unit) {
  return value & ~(unit - 1);
}
bool overlap(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) {
  return a_size != 0 && b_size != 0 && a < b + b_size && b < a + a_size;
}
/// Whether a program header refers to bytes of the file that are at `offset`, or loaded to `address`. Of
/// PT_GNU_RELRO only the address counts: mold writes 0 as its offset.
bool uses(const Elf64_Phdr& program, Offset offset, Address address, std::uint64_t size) {
  return program.p_type == PT_GNU_RELRO ? overlap(program.p_vaddr, program.p_memsz, address, size)
                                        : overlap(program.p_offset, program.p_filesz, offset, size);
}
constexpr auto up = rounded_up;

/// The alignment that segments need: that of the processor's largest page, if they have not less, or what a
/// section needs. Older linkers aligned to 2 MB, which only the choice of huge pages uses.
std::uint64_t granule(const ElfHeaders& headers) {
  const std::uint64_t page = headers.file.e_machine == EM_X86_64 ? 0x1000 : largest_page;
  std::uint64_t result = 1;
  for (const Elf64_Phdr& program : headers.programs)
    if (program.p_type == PT_LOAD)
      result = std::max(result, program.p_align > largest_page ? page : program.p_align);
  for (const Elf64_Shdr& section : headers.sections)
    if (is_loaded(section))
      result = std::max(result, section.sh_addralign);
  return result;
}

} // namespace

bool is_address_of_table(std::int64_t tag) {
  constexpr auto tags = std::to_array<std::int64_t>({DT_HASH, DT_GNU_HASH, DT_SYMTAB, DT_STRTAB, DT_VERSYM,
                                                     DT_VERNEED, DT_VERDEF, DT_RELA, DT_RELR, DT_JMPREL});
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

Offset end_of_content(const ElfHeaders& headers, std::string_view replaced) {
  Offset end = headers.file.e_phoff + program_header_bytes * headers.programs.size();
  for (const Elf64_Phdr& program : headers.programs)
    end = std::max(end, program.p_filesz != 0 ? program.p_offset + program.p_filesz : 0);
  for (std::size_t i = 0; i < headers.sections.size(); ++i) {
    const Elf64_Shdr& section = headers.sections[i];
    const bool is_replaced = !replaced.empty() && headers.name(section) == replaced;
    if (has_bytes(section) && i != headers.file.e_shstrndx && !is_replaced)
      end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

ElfLayout::ElfLayout(const Bytes& file, const ElfHeaders& headers, const ElfChange& change)
    : file_(&file), headers_(&headers), change_(&change), unit_(granule(headers)) {}

Reading<ElfLayout> ElfLayout::of(const Bytes& file, const ElfHeaders& headers, const ElfChange& change) {
  ElfLayout layout(file, headers, change);
  TRY(layout.plan());
  return layout;
}

/// Only its own segment and its own sections use the bytes of a region.
Reading<bool> ElfLayout::check_region(const ChangedRegion& region) const {
  const auto offset = headers_->offset_of(region.begin, region.end - region.begin);
  const std::uint64_t content = size_of(region.content);
  if (region.end <= region.begin || !offset || region.content_at < region.begin ||
      region.content_at > region.end || content > region.end - region.content_at)
    return damaged("its device code is not in one segment");
  const std::uint64_t size = region.end - region.begin;
  const Elf64_Phdr* const segment = headers_->segment_of(region.begin);
  if ((segment->p_flags & PF_R) == 0)
    return damaged("its device code is loaded without permission to read it");
  for (const Elf64_Phdr& program : headers_->programs)
    if (&program != segment && uses(program, *offset, region.begin, size))
      return damaged("another segment uses the bytes of its device code");
  for (std::size_t i = 0; i < headers_->sections.size(); ++i) {
    const Elf64_Shdr& section = headers_->sections[i];
    const bool own = std::any_of(region.sections.begin(), region.sections.end(),
                                 [&](const PlacedSection& one) { return one.index == i; });
    if (!own && has_bytes(section) && overlap(section.sh_offset, section.sh_size, *offset, size))
      return damaged("another section uses the bytes of its device code");
  }
  const std::uint64_t table = program_header_bytes * headers_->programs.size();
  if (overlap(0, sizeof(Elf64_Ehdr), *offset, size) || overlap(headers_->file.e_phoff, table, *offset, size))
    return damaged("its headers are among its device code");
  return true;
}

void ElfLayout::set_cut(Hole& hole) const {
  const bool apart = !hole.splits || up(hole.begin, unit_) <= down(hole.end, unit_);
  hole.cut = apart && hole.end > hole.begin ? down(hole.end - hole.begin, unit_) : 0;
}

void ElfLayout::add_hole(Address begin, Address end) {
  if (begin == end)
    return;
  const Elf64_Phdr& segment = *headers_->segment_of(begin);
  Hole hole{begin, end, *headers_->offset_of(begin, 1), 0, false};
  const bool is_last = end == segment.p_vaddr + segment.p_filesz;
  hole.splits = !is_last && begin != segment.p_vaddr;
  if (!is_last || segment.p_memsz == segment.p_filesz)
    set_cut(hole);
  holes_.push_back(hole);
}

Reading<bool> ElfLayout::find_holes() {
  Address last = 0;
  for (const ChangedRegion& region : change_->regions) {
    TRY(check_region(region));
    if (region.begin < last)
      return damaged("its sections of device code overlap");
    last = region.end;
    add_hole(region.begin, region.content_at);
    add_hole(region.content_at + size_of(region.content), region.end);
  }
  return true;
}

std::size_t ElfLayout::needed() const {
  const auto splits = std::count_if(holes_.begin(), holes_.end(),
                                    [](const Hole& hole) { return hole.splits && hole.cut != 0; });
  return static_cast<std::size_t>(splits) + (change_->added ? 1 : 0);
}

/// How many program headers fit between the present ones and whatever comes next in their segment.
std::size_t ElfLayout::room() const {
  const Offset end = headers_->file.e_phoff + program_header_bytes * headers_->programs.size();
  Offset next = 0;
  for (const Elf64_Phdr& program : headers_->programs)
    if (program.p_type == PT_LOAD && program.p_offset <= headers_->file.e_phoff &&
        end <= program.p_offset + program.p_filesz)
      next = program.p_offset + program.p_filesz;
  for (const Elf64_Phdr& program : headers_->programs)
    if (program.p_filesz != 0 && program.p_offset >= end)
      next = std::min(next, program.p_offset);
  for (const Elf64_Shdr& section : headers_->sections)
    if (has_bytes(section) && section.sh_offset + section.sh_size > end)
      next = std::min(next, section.sh_offset);
  return next <= end ? 0 : static_cast<std::size_t>((next - end) / program_header_bytes);
}

/// Sections that only the dynamic segment, a program header, or section headers refer to.
bool ElfLayout::is_movable(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOTE || headers_->name(section) == ".interp")
    return true;
  if (headers_->dynamics.empty())
    return false; // the code of a static program has the addresses of its relocations
  constexpr auto types = std::to_array<std::uint32_t>({SHT_GNU_HASH, SHT_HASH, SHT_DYNSYM, SHT_GNU_versym,
                                                       SHT_GNU_verneed, SHT_GNU_verdef, SHT_RELA, SHT_RELR});
  return std::find(types.begin(), types.end(), section.sh_type) != types.end() ||
         headers_->name(section) == ".dynstr";
}

/// Whether an address in it is in a word or a symbol of the program.
bool ElfLayout::is_referred_to(const Block& block) const {
  const auto words = each_relocated_word(*file_, *headers_, [&](const RelocatedWord& word) -> Reading<bool> {
    return block.contains(word.address) || (word.relative && block.contains(word.target))
               ? damaged("")
               : Reading<bool>(true);
  });
  if (!words)
    return true;
  for (const Elf64_Shdr& section : headers_->sections)
    if (section.sh_type == SHT_DYNSYM)
      for (std::uint64_t done = 0; done + sizeof(Elf64_Sym) <= section.sh_size; done += sizeof(Elf64_Sym)) {
        const auto symbol = read_structure<Elf64_Sym>(*file_, section.sh_offset + done);
        // the value of a thread-local one is an offset
        if (!symbol || (symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
                        ELF64_ST_TYPE(symbol->st_info) != STT_TLS && block.contains(symbol->st_value)))
          return true;
      }
  return false;
}

/// Whether the addresses in the dynamic segment that are in it are those of its sections.
bool ElfLayout::has_whole_tables(const Block& block) const {
  return std::all_of(headers_->dynamics.begin(), headers_->dynamics.end(), [&](const Elf64_Dyn& entry) {
    return !is_address_of_table(entry.d_tag) || !block.contains(entry.d_un.d_ptr) ||
           std::any_of(headers_->sections.begin(), headers_->sections.end(), [&](const Elf64_Shdr& section) {
             return has_bytes(section) && is_loaded(section) && section.sh_addr == entry.d_un.d_ptr;
           });
  });
}

/// The sections after the program headers that make room for more of these.
std::optional<ElfLayout::Block> ElfLayout::first_sections(std::size_t programs) const {
  const Offset table_end = headers_->file.e_phoff + program_header_bytes * headers_->programs.size();
  const Offset wanted = headers_->file.e_phoff + program_header_bytes * programs;
  std::vector<const Elf64_Shdr*> ordered;
  for (const Elf64_Shdr& section : headers_->sections)
    if (has_bytes(section) && section.sh_offset + section.sh_size > table_end)
      ordered.push_back(&section);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return a->sh_offset < b->sh_offset; });
  Offset end = wanted;
  Block block;
  for (const Elf64_Shdr* const section : ordered) {
    if (section->sh_offset >= end)
      break;
    if (!is_loaded(*section) || !is_movable(*section) || section->sh_offset < table_end)
      return std::nullopt;
    if (block.end == 0)
      block.begin = section->sh_addr, block.offset = section->sh_offset;
    block.end = section->sh_addr + section->sh_size;
    block.alignment = std::max(block.alignment, section->sh_addralign);
    end = std::max(end, section->sh_offset + section->sh_size);
    for (const Elf64_Phdr& program : headers_->programs) // such as one note of two sections
      if (program.p_type != PT_LOAD && uses(program, block.offset, block.begin, end - block.offset))
        end = std::max(end, program.p_offset + program.p_filesz);
  }
  const Elf64_Phdr* const segment = block.end != 0 ? headers_->segment_of(block.begin) : nullptr;
  if (segment == nullptr || block.end - segment->p_vaddr > segment->p_filesz ||
      headers_->offset_of(block.begin, block.size()) != block.offset ||
      segment->p_offset > headers_->file.e_phoff || wanted > segment->p_offset + segment->p_filesz)
    return std::nullopt;
  return is_referred_to(block) || !has_whole_tables(block) ? std::nullopt : std::optional(block);
}

/// Moves it to the beginning of the added segment, or of the one after the largest hole.
bool ElfLayout::place_block(Block block) {
  if (change_->added) {
    block_ = block;
    return true;
  }
  Hole* largest = nullptr;
  for (Hole& hole : holes_)
    if (hole.splits && (largest == nullptr || hole.cut > largest->cut))
      largest = &hole;
  if (largest == nullptr || largest->end - largest->begin < block.size() + 2 * block.alignment + before_block)
    return false;
  Hole hole = *largest;
  // the same remainder as before, because sections in it have different alignments
  const std::uint64_t remainder = block.begin % block.alignment;
  block.moved_to = down(hole.end - block.size() - remainder, block.alignment) + remainder;
  hole.end = block.moved_to - before_block;
  set_cut(hole);
  if (hole.cut == 0)
    return false;
  *largest = hole;
  block_ = block;
  return true;
}

bool ElfLayout::make_room() {
  const std::size_t missing = needed();
  if (missing <= room())
    return true;
  const auto block = first_sections(headers_->programs.size() + missing);
  return block && place_block(*block);
}

/// After everything else in memory; the file's bytes of it follow those of the content.
void ElfLayout::place_added() {
  Address end = 0;
  for (const Elf64_Phdr& program : headers_->programs)
    if (program.p_type == PT_LOAD)
      end = std::max(end, program.p_vaddr + program.p_memsz);
  added_begin_ = up(end, unit_) + added_offset() % unit_;
  added_content_ = added_begin_;
  if (block_) {
    block_->moved_to = up(added_begin_ + before_block, block_->alignment) + block_->begin % block_->alignment;
    added_content_ = block_->moved_to + block_->size();
  }
  added_content_ = up(added_content_, change_->added->alignment);
}

Reading<bool> ElfLayout::plan() {
  content_end_ = end_of_content(*headers_, change_->section ? change_->section->name : std::string_view());
  TRY(find_holes());
  while (!make_room()) { // the smallest one is not worth it
    const auto smallest = std::min_element(holes_.begin(), holes_.end(), [](const Hole& a, const Hole& b) {
      return std::pair(!a.splits || a.cut == 0, a.cut) < std::pair(!b.splits || b.cut == 0, b.cut);
    });
    if (smallest == holes_.end() || !smallest->splits || smallest->cut == 0)
      return damaged("there is no room for another program header");
    smallest->cut = 0;
  }
  if (change_->added) {
    place_added();
    if (is_referred_to({added_begin_, added_begin_ + added_size()}))
      return damaged("it has an address that is past its end in memory");
  }
  return is_aligned() ? Reading<bool>(true) : damaged("its segments do not follow its device code as usual");
}

/// Whether each segment still has the offset in the file that its address requires.
bool ElfLayout::is_aligned() const {
  const std::vector<Elf64_Phdr> table = programs();
  return std::all_of(table.begin(), table.end(), [](const Elf64_Phdr& program) {
    return program.p_type != PT_LOAD || ((program.p_vaddr - program.p_offset) & (program.p_align - 1)) == 0;
  });
}

std::uint64_t ElfLayout::added_size() const {
  return change_->added ? added_content_ - added_begin_ + size_of(change_->added->content) : 0;
}

bool ElfLayout::is_shifted() const {
  return change_->added ||
         std::any_of(holes_.begin(), holes_.end(), [](const Hole& hole) { return hole.cut != 0; });
}

Offset ElfLayout::new_offset(Offset old) const {
  Offset result = old;
  for (const Hole& hole : holes_)
    if (old > hole.offset)
      result -= std::min(hole.cut, old - hole.offset);
  return result;
}

/// In the new file, of a new address.
Offset ElfLayout::offset_of(Address address) const {
  if (change_->added && address >= added_begin_)
    return added_offset() + (address - added_begin_);
  const Elf64_Phdr* const segment = headers_->segment_of(address);
  return segment == nullptr ? 0 : new_offset(segment->p_offset + (address - segment->p_vaddr));
}

void ElfLayout::add_load(const Elf64_Phdr& load, std::vector<Elf64_Phdr>& result) const {
  Elf64_Phdr rest = load;
  for (const Hole& hole : holes_) {
    if (hole.cut == 0 || hole.begin < rest.p_vaddr || hole.begin - rest.p_vaddr >= rest.p_filesz)
      continue;
    Elf64_Phdr before = rest;
    before.p_filesz = before.p_memsz = hole.begin - rest.p_vaddr;
    if (before.p_filesz != 0)
      result.push_back(before);
    const std::uint64_t skipped = hole.end - rest.p_vaddr;
    rest.p_vaddr += skipped, rest.p_paddr += skipped, rest.p_offset += skipped;
    rest.p_filesz -= skipped, rest.p_memsz -= skipped;
  }
  if (rest.p_memsz != 0)
    result.push_back(rest);
}

std::vector<Elf64_Phdr> ElfLayout::programs() const {
  std::vector<Elf64_Phdr> result;
  std::size_t last_load = 0;
  for (const Elf64_Phdr& program : headers_->programs) {
    if (program.p_type == PT_LOAD) {
      add_load(program, result);
      last_load = result.size();
    } else {
      result.push_back(program);
    }
  }
  for (Elf64_Phdr& program : result) {
    if (program.p_type == PT_LOAD && program.p_align > unit_ && is_shifted())
      program.p_align = unit_;
    const bool moves =
        program.p_type != PT_LOAD && program.p_filesz != 0 && block_ && block_->contains(program.p_vaddr);
    if (moves)
      program.p_vaddr += block_->delta(), program.p_paddr += block_->delta();
    program.p_offset = moves ? offset_of(program.p_vaddr) : new_offset(program.p_offset);
  }
  if (change_->added) {
    const std::uint64_t size = added_size();
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(last_load),
                  {PT_LOAD, PF_R, offset_of(added_begin_), added_begin_, added_begin_, size, size, unit_});
  }
  for (Elf64_Phdr& program : result)
    if (program.p_type == PT_PHDR)
      program.p_filesz = program.p_memsz = program_header_bytes * result.size();
  return result;
}

bool ElfLayout::moves_with_block(const Elf64_Shdr& section) const {
  return block_ && is_loaded(section) && has_bytes(section) && block_->contains(section.sh_addr);
}

std::vector<Elf64_Shdr> ElfLayout::sections() const {
  std::vector<Elf64_Shdr> result = headers_->sections;
  for (Elf64_Shdr& section : result) {
    const bool moves = moves_with_block(section);
    if (moves)
      section.sh_addr += block_->delta();
    section.sh_offset = moves ? offset_of(section.sh_addr) : new_offset(section.sh_offset);
  }
  for (const ChangedRegion& region : change_->regions)
    for (const PlacedSection& placed : region.sections) {
      Elf64_Shdr& section = result[placed.index];
      section.sh_addr = placed.address;
      section.sh_size = placed.size;
      section.sh_offset = offset_of(placed.address);
    }
  return result;
}

} // namespace hostpin::binary
