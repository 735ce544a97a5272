// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/objects.hpp"

#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/kind.hpp"
#include "toolchains/binary/signature.hpp"
#include "toolchains/devicecode/image.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace hostpin::devicecode {

using namespace binary;

namespace {

constexpr std::uint64_t content_at = 8;         ///< in the header of a fatbin
constexpr std::uint32_t type_crel = 0x40000014; ///< relocations in LLVM's compact form

/// One fatbin, and what of it stays.
struct SlimFatbin {
  std::uint64_t at = 0, header = 0, content = 0;
  std::uint64_t new_content = 0;
  std::uint64_t new_at = 0;
};

/// Consecutive fatbins, from which entries are cut.
class FatbinCutter {
public:
  /// `begin`, `alignment`: of the section, or of the whole file.
  FatbinCutter(const Bytes& file, std::uint64_t begin, std::uint64_t alignment, Edits& edits)
      : file_(file), alignment_(std::max(alignment, FatbinHead::alignment)), edits_(edits), begin_(begin),
        old_end_(begin), new_end_(begin) {}

  void take(std::uint64_t at, std::uint64_t header, std::uint64_t content,
            const std::vector<EmbeddedCode>& entries, const Keeping& keeping, Slimming& slimming,
            bool is_stub = false) {
    const Kept stays = slimming.take(entries, at, file_, keeping, is_stub);
    SlimFatbin fatbin{at, header, content, content, 0};
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (!stays.entries[i]) {
        const std::uint64_t size = entries[i].header + entries[i].payload;
        edits_.replace(entries[i].at, size, {});
        fatbin.new_content -= size;
      }
    if (fatbin.new_content != content)
      edits_.replace(at + content_at, sizeof content, bytes_of(fatbin.new_content));
    place(fatbin);
  }

  /// Puts another fatbin, with a header of the same size, where the next one is.
  void replace(const Fatbin& old, std::string bytes) {
    const std::uint64_t new_content = bytes.size() - FatbinHead::bytes;
    edits_.replace(old.at, old.size(), std::move(bytes));
    SlimFatbin fatbin{old.at, FatbinHead::bytes, old.size() - FatbinHead::bytes, new_content, 0};
    place(fatbin);
  }

  const std::vector<SlimFatbin>& fatbins() const { return fatbins_; }
  std::uint64_t new_end() const { return new_end_; } ///< of what the bytes up to the last fatbin became

private:
  /// What the fatbin is aligned to, up to the alignment of the section: so it never moves down.
  std::uint64_t alignment_of(std::uint64_t offset) const {
    std::uint64_t alignment = offset & (~offset + 1);
    while (alignment > alignment_)
      alignment /= 2;
    return std::max<std::uint64_t>(alignment, 1);
  }

  /// The padding before a fatbin stays as it is until something was cut.
  void place(SlimFatbin& fatbin) {
    const std::uint64_t gap = fatbin.at - old_end_;
    const bool moves = old_end_ != new_end_;
    fatbin.new_at =
        moves ? begin_ + rounded_up(new_end_ - begin_, alignment_of(fatbin.at - begin_)) : fatbin.at;
    if (moves)
      edits_.replace(old_end_, gap, std::string(static_cast<std::size_t>(fatbin.new_at - new_end_), '\0'));
    old_end_ = fatbin.at + fatbin.header + fatbin.content;
    new_end_ = fatbin.new_at + fatbin.header + fatbin.new_content;
    fatbins_.push_back(fatbin);
  }

  const Bytes& file_;
  std::uint64_t alignment_;
  Edits& edits_;
  std::vector<SlimFatbin> fatbins_;
  std::uint64_t begin_, old_end_, new_end_;
};

/// What to do with a fatbin of a section: cut or replace it.
using ChangeFatbin = std::function<void(FatbinCutter&, const DeviceSection&, std::size_t)>;

/// A section of fatbins, and what becomes of offsets in it.
struct SlimSection {
  const DeviceSection* section = nullptr;
  std::uint64_t new_size = 0;
  std::uint64_t cut = 0;                          ///< by how much what follows moves up, modulo 2^64
  std::map<std::uint64_t, std::uint64_t> offsets; ///< of fatbins and of the end

  std::uint64_t end() const { return section->at + section->size; }
};

class ObjectSlimming {
public:
  ObjectSlimming(const Bytes& file, const Image& image, ChangeFatbin change)
      : file_(file), image_(image), change_(std::move(change)) {}

  Reading<Rewriting> slim() {
    if (image_.headers.file.e_phnum != 0)
      return damaged("it is an object with segments");
    for (const DeviceSection& section : image_.sections)
      TRY(cut_section(section));
    if (edits_.empty())
      return edits_.apply(file_);
    if (auto signature = signature_in(file_, image_.headers))
      return damaged(*std::move(signature));
    for (const auto step : {&ObjectSlimming::read_symbols, &ObjectSlimming::change_relocations})
      TRY((this->*step)());
    change_headers();
    return edits_.apply(file_);
  }

private:
  using Sections = std::vector<Elf64_Shdr>;

  const Sections& headers() const { return image_.headers.sections; }

  static bool has_bytes(const Elf64_Shdr& header) {
    return header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS && header.sh_size != 0;
  }

  /// What follows has to stay as aligned as it is.
  std::uint64_t alignment_behind(const DeviceSection& section) const {
    std::uint64_t alignment = FatbinHead::alignment;
    for (const Elf64_Shdr& header : headers())
      if (has_bytes(header) && header.sh_offset >= section.at + section.size)
        alignment = std::max(alignment, header.sh_addralign);
    return alignment;
  }

  Reading<bool> cut_section(const DeviceSection& section) {
    const Elf64_Shdr& own = headers()[section.index];
    if (section.index >= SHN_LORESERVE || !is_apart(section))
      return damaged("other parts of it overlap its device code");
    FatbinCutter cutter(file_, section.at, own.sh_addralign, edits_);
    for (std::size_t i = 0; i < section.fatbins.size(); ++i)
      change_(cutter, section, i);
    SlimSection slim{&section, section.size, 0, {}};
    slim.offsets.emplace(section.size, section.size);
    if (!cutter.fatbins().empty())
      finish(cutter, slim);
    sections_.push_back(std::move(slim));
    return true;
  }

  void finish(const FatbinCutter& cutter, SlimSection& slim) {
    const DeviceSection& section = *slim.section;
    for (const SlimFatbin& fatbin : cutter.fatbins())
      slim.offsets.emplace(fatbin.at - section.at, fatbin.new_at - section.at);
    const SlimFatbin& last = cutter.fatbins().back();
    const std::uint64_t old_end = last.at + last.header + last.content;
    if (old_end == cutter.new_end())
      return; // nothing was cut
    slim.new_size = cutter.new_end() - section.at;
    slim.offsets[section.size] = slim.new_size;
    const std::uint64_t alignment = alignment_behind(section);
    const std::uint64_t rest =
        section.size >= slim.new_size
            ? (section.size - slim.new_size) % alignment
            : rounded_up(slim.new_size - section.size, alignment) - (slim.new_size - section.size);
    slim.cut = section.size - (slim.new_size + rest);
    edits_.replace(old_end, slim.end() - old_end, std::string(static_cast<std::size_t>(rest), '\0'));
  }

  /// Whether no other part of the file has bytes of the section.
  bool is_apart(const DeviceSection& section) const {
    const auto apart = [&](std::uint64_t at, std::uint64_t size) {
      return at >= section.at + section.size || (at <= section.at && size <= section.at - at);
    };
    const Elf64_Ehdr& file = image_.headers.file;
    if (!apart(0, sizeof file) || !apart(file.e_shoff, headers().size() * sizeof(Elf64_Shdr)))
      return false;
    for (std::size_t i = 0; i < headers().size(); ++i)
      if (i != section.index && has_bytes(headers()[i]) &&
          !apart(headers()[i].sh_offset, headers()[i].sh_size))
        return false;
    return true;
  }

  const SlimSection* section_at(std::size_t index) const {
    const auto found = std::find_if(sections_.begin(), sections_.end(),
                                    [&](const SlimSection& each) { return each.section->index == index; });
    return found == sections_.end() ? nullptr : &*found;
  }

  static std::optional<std::uint64_t> moved(const SlimSection& section, std::uint64_t offset) {
    if (offset == 0)
      return 0;
    const auto found = section.offsets.find(offset);
    return found == section.offsets.end() ? std::nullopt : std::optional(found->second);
  }

  /// A symbol of a section of device code.
  struct DeviceSymbol {
    const SlimSection* section;
    std::uint64_t old_value, new_value;
  };

  Reading<bool> read_symbols() {
    for (std::size_t table = 0; table < headers().size(); ++table)
      if (headers()[table].sh_type == SHT_SYMTAB || headers()[table].sh_type == SHT_DYNSYM)
        for (std::uint64_t i = 0; i < headers()[table].sh_size / sizeof(Elf64_Sym); ++i)
          TRY(read_symbol(table, i));
    return true;
  }

  Reading<bool> read_symbol(std::size_t table, std::uint64_t index) {
    const std::uint64_t at = headers()[table].sh_offset + index * sizeof(Elf64_Sym);
    auto symbol = read_structure<Elf64_Sym>(file_, at);
    if (!symbol)
      return damaged("its symbols cannot be read");
    const SlimSection* const section = section_at(symbol->st_shndx);
    if (symbol->st_shndx == SHN_UNDEF || section == nullptr)
      return true;
    const auto begin = moved(*section, symbol->st_value);
    const auto end = symbol->st_size <= section->section->size
                         ? moved(*section, symbol->st_value + symbol->st_size)
                         : std::nullopt;
    if (!begin || !end)
      return damaged("a symbol in it is for a part of a fatbin");
    symbols_.emplace(std::pair(table, index), DeviceSymbol{section, symbol->st_value, *begin});
    const Elf64_Sym old = *symbol;
    if (symbol->st_size != 0)
      symbol->st_size = *end - *begin;
    symbol->st_value = *begin;
    if (std::memcmp(&old, &*symbol, sizeof old) != 0)
      edits_.replace(at, sizeof old, bytes_of(*symbol));
    return true;
  }

  Reading<bool> change_relocations() {
    for (const Elf64_Shdr& header : headers()) {
      const bool is_relocation = header.sh_type == SHT_RELA || header.sh_type == SHT_REL;
      if (header.sh_type == type_crel)
        return damaged("its relocations have a form that is not known");
      if (!is_relocation || header.sh_size == 0)
        continue;
      if (section_at(header.sh_info) != nullptr)
        return damaged("its device code is relocated");
      const std::uint64_t size = header.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
      for (std::uint64_t i = 0; i < header.sh_size / size; ++i)
        TRY(change_relocation(header, header.sh_offset + i * size));
    }
    return true;
  }

  Reading<bool> change_relocation(const Elf64_Shdr& table, std::uint64_t at) {
    const auto head = read_structure<Elf64_Rel>(file_, at);
    if (!head)
      return damaged("its relocations cannot be read");
    const auto found = symbols_.find({table.sh_link, ELF64_R_SYM(head->r_info)});
    if (found == symbols_.end())
      return true;
    auto relocation = table.sh_type == SHT_RELA ? read_structure<Elf64_Rela>(file_, at) : std::nullopt;
    const DeviceSymbol& symbol = found->second;
    const auto target =
        relocation
            ? moved(*symbol.section, symbol.old_value + static_cast<std::uint64_t>(relocation->r_addend))
            : std::nullopt;
    if (!target)
      return damaged("a relocation in it is for a part of a fatbin");
    const auto addend = static_cast<Elf64_Sxword>(*target - symbol.new_value);
    if (addend == relocation->r_addend)
      return true;
    if (!is_absolute(ELF64_R_TYPE(relocation->r_info)))
      return damaged("a relocation in it is for a fatbin and of an unknown type");
    relocation->r_addend = addend;
    edits_.replace(at, sizeof *relocation, bytes_of(*relocation));
    return true;
  }

  bool is_absolute(std::uint64_t type) const {
    switch (image_.headers.file.e_machine) {
    case EM_X86_64:
      return type == R_X86_64_64;
    case EM_AARCH64:
      return type == R_AARCH64_ABS64;
    case EM_PPC64:
      return type == R_PPC64_ADDR64;
    default:
      return false;
    }
  }

  std::uint64_t new_offset(std::uint64_t offset) const {
    std::uint64_t cut = 0;
    for (const SlimSection& section : sections_)
      if (offset >= section.end())
        cut += section.cut;
    return offset - cut;
  }

  void change_headers() {
    const Elf64_Ehdr& old_file = image_.headers.file;
    Elf64_Ehdr file = old_file;
    file.e_shoff = new_offset(file.e_shoff);
    edits_.replace(0, sizeof file, bytes_of(file));
    for (std::size_t i = 0; i < headers().size(); ++i) {
      Elf64_Shdr header = headers()[i];
      // The others have no bytes in the file; their offset still has to be inside it.
      header.sh_offset = new_offset(header.sh_offset);
      if (const SlimSection* const section = section_at(i))
        header.sh_size = section->new_size;
      edits_.replace(old_file.e_shoff + i * sizeof header, sizeof header, bytes_of(header));
    }
  }

  const Bytes& file_;
  const Image& image_;
  ChangeFatbin change_;
  Edits edits_;
  std::vector<SlimSection> sections_;
  std::map<std::pair<std::size_t, std::uint64_t>, DeviceSymbol> symbols_; ///< by table and index
};

Reading<Carrier> carrier_of_elf(const Bytes& file) {
  TRY_ASSIGN(const auto headers, read_elf_headers(file));
  if (!headers || (*headers).file.e_machine == EM_CUDA)
    return Carrier::none;
  for (const std::string_view name : {".nv_fatbin", "__nv_relfatbin"})
    if (const Elf64_Shdr* const section = (*headers).section_named(name))
      if (section->sh_type != SHT_NOBITS)
        return (*headers).is_linked() ? Carrier::linked : Carrier::object;
  return Carrier::none;
}

} // namespace

Reading<Carrier> carrier(const Bytes& file) {
  const std::string_view head = file.up_to(0, FatbinHead::bytes);
  if (head.empty() && file.size() != 0)
    return damaged("its first bytes cannot be read");
  switch (archive_kind(head)) {
  case ArchiveKind::ordinary:
    return Carrier::archive;
  case ArchiveKind::thin:
    return Carrier::thin;
  case ArchiveKind::none:
    break;
  }
  if (is_fatbin(head))
    return Carrier::fatbin;
  return head.starts_with(ELFMAG) ? carrier_of_elf(file) : Carrier::none;
}

Reading<Rewriting> slim_object(const Bytes& file, const Keeping& keeping, Slimming& slimming) {
  TRY_ASSIGN(const auto image, read_image(file));
  if (!image || (*image).is_linked())
    return damaged("it is not an object that can be changed");
  return ObjectSlimming(file, *image,
                        [&](FatbinCutter& cutter, const DeviceSection& section, std::size_t i) {
                          const Fatbin& fatbin = section.fatbins[i];
                          cutter.take(fatbin.at, fatbin.header, fatbin.content, fatbin.entries, keeping,
                                      slimming, fatbin.is_stub);
                        })
      .slim();
}

Reading<Rewriting> object_with(const Bytes& file, const Image& image,
                               const std::vector<std::vector<std::string>>& fatbins) {
  return ObjectSlimming(file, image,
                        [&](FatbinCutter& cutter, const DeviceSection& section, std::size_t i) {
                          const auto number = static_cast<std::size_t>(&section - image.sections.data());
                          cutter.replace(section.fatbins[i], fatbins[number][i]);
                        })
      .slim();
}

Reading<Rewriting> slim_program(const Bytes& file, const Keeping& keeping, Slimming& slimming) {
  TRY_ASSIGN(const auto image, read_image(file));
  if (!image || !(*image).is_linked())
    return damaged("it is not a program or a shared library");
  TRY_ASSIGN(auto linked, slim_linked(file, *image, keeping));
  slimming.take(linked);
  Rewriting result;
  result.append(std::move(linked.pieces));
  return result;
}

Reading<Rewriting> slim_fatbins(const Bytes& file, const Keeping& keeping, Slimming& slimming) {
  Edits edits;
  FatbinCutter cutter(file, 0, FatbinHead::alignment, edits);
  TRY(each_whole_fatbin(file, [&](const EmbeddedFatbin& fatbin) -> Reading<bool> {
    cutter.take(fatbin.at, fatbin.header, fatbin.content, fatbin.entries, keeping, slimming);
    return true;
  }));
  return edits.apply(file);
}

Reading<Rewriting> slim_file(const Bytes& file, const Keeping& keeping, Slimming& slimming) {
  TRY_ASSIGN(const auto kind, carrier(file));
  switch (kind) {
  case Carrier::object:
    return slim_object(file, keeping, slimming);
  case Carrier::fatbin:
    return slim_fatbins(file, keeping, slimming);
  case Carrier::archive:
    return slim_archive(file, keeping, slimming);
  default:
    break;
  }
  Rewriting unchanged;
  unchanged.copy(file);
  return unchanged;
}

} // namespace hostpin::devicecode
