// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/elf_writer.hpp"

#include "toolchains/binary/elf_layout.hpp"
#include "toolchains/binary/section_order.hpp"
#include "toolchains/binary/signature.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

namespace hostpin::binary {

namespace {

using Address = std::uint64_t;
using Offset = std::uint64_t;
constexpr std::uint64_t most_trailing_zeros = 4096;

Reading<bool> check_segments(const ElfHeaders& headers) {
  Address last = 0;
  for (const Elf64_Phdr& program : headers.programs) {
    if (program.p_type != PT_LOAD)
      continue;
    const bool wraps = program.p_vaddr + program.p_memsz < program.p_vaddr;
    if (!std::has_single_bit(program.p_align) || program.p_align < 0x1000 || wraps ||
        program.p_vaddr < last || program.p_filesz > program.p_memsz ||
        ((program.p_vaddr - program.p_offset) & (program.p_align - 1)) != 0)
      return damaged("its segments are not in order or not aligned");
    last = program.p_vaddr + program.p_memsz;
  }
  for (const Elf64_Shdr& section : headers.sections)
    if (section.sh_addralign != 0 && (!std::has_single_bit(section.sh_addralign) ||
                                      (is_loaded(section) && section.sh_addralign > (1U << 21U))))
      return damaged("a section has an alignment that is not a power of two, or too large");
  return true;
}

Reading<bool> check_end(const Bytes& file, const ElfHeaders& headers) {
  Offset end = std::max(end_of_content(headers, {}),
                        headers.file.e_shoff + sizeof(Elf64_Shdr) * headers.sections.size());
  if (headers.file.e_shstrndx < headers.sections.size()) {
    const Elf64_Shdr& names = headers.sections[headers.file.e_shstrndx];
    end = std::max(end, names.sh_offset + names.sh_size);
  }
  const std::string_view rest = file.up_to(end, most_trailing_zeros + 1);
  if (rest.size() > most_trailing_zeros || rest.find_first_not_of('\0') != std::string_view::npos)
    return damaged("it has data after its end, such as a signature");
  return true;
}

/// The bytes of a changed file, by its layout.
class Writing {
public:
  Writing(const Bytes& file, const ElfHeaders& headers, const ElfChange& change, const ElfLayout& layout)
      : file_(file), headers_(headers), change_(change), layout_(layout), patches_(change.patches),
        table_(sections()), order_(table_) {}

  Reading<std::vector<Piece>> pieces();

private:
  struct Replaced {
    Offset begin = 0, end = 0;
    std::vector<Piece> pieces;
  };

  std::vector<Elf64_Shdr> sections() const;
  void patch_dynamic();
  bool is_in_segment(Offset at) const;
  Reading<bool> patch_symbols();
  Reading<bool> patch_symbols(const Elf64_Shdr& table, const std::vector<char>& in_region);
  Reading<bool> add_source(Offset begin, Offset end, std::vector<Piece>& to);
  void add_hole(Address begin, Address end, std::vector<Piece>& to) const;
  void add_region(const ChangedRegion& region, std::vector<Piece>& to) const;
  std::vector<Replaced> replaced(const std::vector<Elf64_Phdr>& programs) const;
  Reading<bool> add_content(const std::vector<Elf64_Phdr>& programs, std::vector<Piece>& to);
  void add_segment(std::vector<Piece>& to) const;
  std::string end_of_file(Offset begin, Elf64_Ehdr& header) const;

  const Bytes& file_;
  const ElfHeaders& headers_;
  const ElfChange& change_;
  const ElfLayout& layout_;
  std::map<Offset, std::string> patches_; ///< those that are not applied yet
  std::vector<Elf64_Shdr> table_;         ///< of sections, in the old order
  SectionOrder order_;
  std::vector<Piece> block_bytes_;
};

/// Addresses of the moved sections in the dynamic segment.
void Writing::patch_dynamic() {
  for (const Elf64_Phdr& program : headers_.programs) {
    if (program.p_type != PT_DYNAMIC || !layout_.block())
      continue;
    for (std::size_t i = 0; i < headers_.dynamics.size(); ++i) {
      const Elf64_Dyn& entry = headers_.dynamics[i];
      if (is_address_of_table(entry.d_tag) && layout_.block()->contains(entry.d_un.d_ptr))
        patches_[program.p_offset + sizeof(Elf64_Dyn) * i + offsetof(Elf64_Dyn, d_un)] =
            bytes_of(entry.d_un.d_ptr + layout_.block()->delta());
    }
  }
}

bool Writing::is_in_segment(Offset at) const {
  return std::any_of(headers_.programs.begin(), headers_.programs.end(), [at](const Elf64_Phdr& program) {
    return program.p_type == PT_LOAD && at >= program.p_offset && at - program.p_offset < program.p_filesz;
  });
}

/// Symbols of moved content and sections, which only debuggers use, and the numbers of sections in all.
Reading<bool> Writing::patch_symbols() {
  std::vector<char> in_region(headers_.sections.size());
  for (const ChangedRegion& region : change_.regions)
    for (const PlacedSection& placed : region.sections)
      in_region[placed.index] = 1;
  for (const Elf64_Shdr& section : headers_.sections)
    if (has_symbols(section))
      TRY(patch_symbols(section, in_region));
  return true;
}

Reading<bool> Writing::patch_symbols(const Elf64_Shdr& table, const std::vector<char>& in_region) {
  std::string bytes(table.sh_size, '\0');
  if (!file_.read(table.sh_offset, bytes.data(), bytes.size()))
    return damaged("its symbols cannot be read");
  bool changed = false;
  for (std::uint64_t at = 0; table.sh_type == SHT_SYMTAB && at + sizeof(Elf64_Sym) <= bytes.size();
       at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, bytes.data() + at, sizeof symbol);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= headers_.sections.size())
      continue;
    Address value = symbol.st_value;
    if (layout_.moves_with_block(headers_.sections[symbol.st_shndx]))
      value += layout_.block()->delta();
    else if (const auto moved = change_.symbols.find(value);
             in_region[symbol.st_shndx] != 0 && moved != change_.symbols.end())
      value = moved->second;
    if (value == symbol.st_value)
      continue;
    if (is_in_segment(table.sh_offset + at))
      return damaged("its table of symbols is in a segment that is loaded");
    symbol.st_value = value;
    std::memcpy(bytes.data() + at, &symbol, sizeof symbol);
    changed = true;
  }
  if ((order_.changes() && order_.renumber_symbols(bytes)) || changed)
    patches_[table.sh_offset] = std::move(bytes);
  return true;
}

/// Copies bytes of the source with the patches among them.
Reading<bool> Writing::add_source(Offset begin, Offset end, std::vector<Piece>& to) {
  for (auto patch = patches_.lower_bound(begin); patch != patches_.end() && patch->first < end;
       patch = patches_.erase(patch)) {
    const std::uint64_t size = patch->second.size();
    if (patch->first < begin || size > end - patch->first)
      return damaged("it uses some of its bytes for two purposes");
    to.push_back(Piece::of(begin, patch->first - begin));
    begin = patch->first + size;
    to.push_back(Piece::of(std::move(patch->second)));
  }
  to.push_back(Piece::of(begin, end - begin));
  return true;
}

void Writing::add_hole(Address begin, Address end, std::vector<Piece>& to) const {
  for (const ElfLayout::Hole& hole : layout_.holes()) {
    if (hole.begin != begin || begin == end)
      continue;
    to.push_back(Piece::zeros(hole.end - hole.begin - hole.cut));
    if (hole.end == end)
      return;
    to.push_back(Piece::zeros(layout_.block()->moved_to - hole.end));
    to.insert(to.end(), block_bytes_.begin(), block_bytes_.end());
    to.push_back(Piece::zeros(end - layout_.block()->moved_to - layout_.block()->size()));
  }
}

void Writing::add_region(const ChangedRegion& region, std::vector<Piece>& to) const {
  add_hole(region.begin, region.content_at, to);
  to.insert(to.end(), region.content.begin(), region.content.end());
  add_hole(region.content_at + size_of(region.content), region.end, to);
}

/// What replaces bytes of the old file, in its order.
std::vector<Writing::Replaced> Writing::replaced(const std::vector<Elf64_Phdr>& programs) const {
  const Offset table = headers_.file.e_phoff, table_end = table + program_header_bytes * programs.size();
  const Offset end =
      std::max(table_end, layout_.block() ? layout_.block()->offset + layout_.block()->size() : 0);
  std::vector<Replaced> result{{table, end, {Piece::of(bytes_of(programs)), Piece::zeros(end - table_end)}}};
  for (const ChangedRegion& region : change_.regions) {
    const Offset begin = *headers_.offset_of(region.begin, 1);
    result.push_back({begin, begin + (region.end - region.begin), {}});
    add_region(region, result.back().pieces);
  }
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return result;
}

Reading<bool> Writing::add_content(const std::vector<Elf64_Phdr>& programs, std::vector<Piece>& to) {
  constexpr auto twice = "it uses some of its bytes for two purposes";
  if (layout_.block())
    if (auto added = add_source(layout_.block()->offset, layout_.block()->offset + layout_.block()->size(),
                                block_bytes_);
        !added)
      return added;
  Offset at = 0;
  for (const Replaced& one : replaced(programs)) {
    if (one.begin < at)
      return damaged(twice);
    TRY(add_source(at, one.begin, to));
    to.insert(to.end(), one.pieces.begin(), one.pieces.end());
    at = one.end;
  }
  if (at > layout_.content_end())
    return damaged(twice);
  TRY(add_source(at, layout_.content_end(), to));
  return patches_.empty() ? Reading<bool>(true) : damaged(twice);
}

/// The headers of sections in the old order, with the added one; what follows the content has no offset yet.
std::vector<Elf64_Shdr> Writing::sections() const {
  constexpr Offset behind = std::numeric_limits<Offset>::max() - 1;
  std::vector<Elf64_Shdr> table = layout_.sections();
  if (change_.section) {
    const Elf64_Shdr* const old = headers_.section_named(change_.section->name);
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(old != nullptr ? old->sh_name : headers_.names.size() - 1);
    section.sh_type = change_.section->type;
    section.sh_offset = behind;
    section.sh_size = change_.section->content.size();
    section.sh_addralign = 4;
    if (old != nullptr)
      table[static_cast<std::size_t>(old - headers_.sections.data())] = section;
    else
      table.push_back(section);
  }
  table[headers_.file.e_shstrndx].sh_offset = behind + 1;
  return table;
}

/// The section that is not loaded, the names of sections and their headers; completes the header of the file.
std::string Writing::end_of_file(Offset begin, Elf64_Ehdr& header) const {
  std::string bytes;
  std::string names = headers_.names.substr(0, headers_.names.size() - 1);
  std::vector<Elf64_Shdr> table = table_;
  if (change_.section) {
    bytes.resize(rounded_up(begin, 8) - begin);
    const Elf64_Shdr* const old = headers_.section_named(change_.section->name);
    Elf64_Shdr& section =
        old == nullptr ? table.back() : table[static_cast<std::size_t>(old - headers_.sections.data())];
    section.sh_offset = begin + bytes.size();
    bytes += change_.section->content;
    if (old == nullptr)
      names += change_.section->name + '\0';
  }
  table[headers_.file.e_shstrndx].sh_offset = begin + bytes.size();
  table[headers_.file.e_shstrndx].sh_size = names.size();
  bytes += names;
  bytes.resize(rounded_up(begin + bytes.size(), 8) - begin);
  header.e_shoff = begin + bytes.size();
  header.e_shnum = static_cast<Elf64_Half>(table.size());
  header.e_shstrndx = static_cast<Elf64_Half>(order_.of(header.e_shstrndx));
  return bytes + bytes_of(order_.ordered(table));
}

/// The added segment, after the bytes that align it.
void Writing::add_segment(std::vector<Piece>& to) const {
  const std::uint64_t before = layout_.block() ? layout_.block()->moved_to - layout_.added_begin() : 0;
  to.push_back(Piece::zeros(layout_.added_offset() - layout_.new_offset(layout_.content_end()) + before));
  to.insert(to.end(), block_bytes_.begin(), block_bytes_.end());
  to.push_back(
      Piece::zeros(layout_.added_content() - layout_.added_begin() - before - size_of(block_bytes_)));
  to.insert(to.end(), change_.added->content.begin(), change_.added->content.end());
}

Reading<std::vector<Piece>> Writing::pieces() {
  patch_dynamic();
  TRY(patch_symbols());
  const std::vector<Elf64_Phdr> programs = layout_.programs();
  Elf64_Ehdr header = headers_.file;
  header.e_phnum = static_cast<Elf64_Half>(programs.size());
  header.e_phoff = layout_.new_offset(header.e_phoff);
  const Offset end = change_.added ? layout_.added_offset() + layout_.added_size()
                                   : layout_.new_offset(layout_.content_end());
  const std::string rest = end_of_file(end, header);
  patches_[0] = bytes_of(header);
  std::vector<Piece> result;
  TRY(add_content(programs, result));
  if (change_.added)
    add_segment(result);
  result.push_back(Piece::of(rest));
  std::erase_if(result, [](const Piece& piece) { return piece.size == 0; });
  return result;
}

Reading<bool> check_sections(const ElfHeaders& headers) {
  if (headers.sections.empty() || headers.file.e_shnum == 0 || headers.names.empty() ||
      headers.file.e_shstrndx >= headers.sections.size() || headers.sections.size() >= SHN_LORESERVE - 1U)
    return damaged("it has no section headers, or more than fit its ELF header");
  if (is_loaded(headers.sections[headers.file.e_shstrndx]))
    return damaged("the names of its sections are loaded");
  return true;
}

} // namespace

Reading<bool> changeable(const Bytes& file, const ElfHeaders& headers) {
  if (!headers.is_linked() || headers.programs.empty())
    return damaged("it is not a linked program or library");
  TRY(consistent(headers, file.size()));
  for (const auto check : {check_segments, check_sections})
    TRY(check(headers));
  if (auto signature = signature_in(file, headers))
    return damaged(*std::move(signature));
  return check_end(file, headers);
}

Reading<std::uint64_t> added_address(const Bytes& file, const ElfHeaders& headers, const ElfChange& change) {
  ElfChange with_segment = change;
  if (!with_segment.added)
    with_segment.added.emplace();
  TRY_ASSIGN(const auto layout, ElfLayout::of(file, headers, with_segment));
  return layout.added_content();
}

Reading<std::vector<Piece>> changed_elf(const Bytes& file, const ElfHeaders& headers,
                                        const ElfChange& change) {
  TRY(changeable(file, headers));
  if (change.section)
    if (const Elf64_Shdr* const old = headers.section_named(change.section->name);
        old != nullptr && is_loaded(*old))
      return damaged("its section " + change.section->name + " is loaded");
  TRY_ASSIGN(const auto layout, ElfLayout::of(file, headers, change));
  return Writing(file, headers, change, layout).pieces();
}

} // namespace hostpin::binary
