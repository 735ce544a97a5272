// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/unit/toolchains/binary/fatbin_pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

// Small programs and libraries as linkers lay them out, with fatbins and the pointers to them.

namespace hostpin::test {

/// How a linked file stores the pointers to its fatbins.
enum class Pointers { plain, rela, rela_in_place, relr };

class LinkedBuilder {
public:
  std::uint16_t type = ET_DYN, machine = EM_X86_64;
  std::uint64_t page = 0x1000, base = 0;
  Pointers pointers = Pointers::rela_in_place;
  std::vector<std::string> fatbins;        ///< in .nv_fatbin, one wrapper for each
  std::vector<std::string> relocatables;   ///< in __nv_relfatbin, likewise
  std::uint32_t version = 1;               ///< of the first wrapper
  std::vector<std::uint64_t> more_addends; ///< RELATIVE relocations of .data; offsets in .nv_fatbin
  std::string note = std::string(36, 'n'), first = std::string(64, 'h');
  std::string rodata = std::string(200, 'r'), tail = std::string(300, 't'), data = std::string(64, 'd');
  std::uint64_t room = 0; ///< bytes between the program headers and the first section
  bool separate = true;   ///< read-only data has a segment of its own, as by -z separate-code
  bool stack = true;
  std::uint64_t padding = 0;    ///< bytes of .relro_padding
  std::string relro;            ///< the section at which PT_GNU_RELRO begins, with the offset 0, as by mold
  std::uint64_t relro_size = 0; ///< of it

  struct Section {
    std::string name;
    std::uint32_t type;
    std::uint64_t flags, align;
    std::string content;
    std::uint64_t address = 0, offset = 0;
    std::uint32_t link = 0;
    std::uint64_t entry = 0;
  };

  std::string build() {
    sections_.clear();
    add_sections();
    lay_out(); // sizes are final, so that addresses are
    fill();
    return image();
  }

  const Section& section(const std::string& name) const {
    return const_cast<LinkedBuilder*>(this)->find(name);
  }

private:
  Section& find(const std::string& name) {
    return *std::find_if(sections_.begin(), sections_.end(),
                         [&](const Section& one) { return one.name == name; });
  }
  std::size_t wrapper_count() const { return fatbins.size() + relocatables.size(); }

  static std::string joined(const std::vector<std::string>& parts, std::vector<std::uint64_t>& offsets) {
    std::string all;
    for (const std::string& part : parts) {
      all.resize((all.size() + 7) / 8 * 8);
      offsets.push_back(all.size());
      all += part;
    }
    return all;
  }

  void add_sections() {
    const std::uint64_t wrappers = 24 * wrapper_count();
    offsets_.clear();
    relocatable_offsets_.clear();
    sections_ = {{".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 4, note},
                 {".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, 8, first},
                 {".dynsym", SHT_DYNSYM, SHF_ALLOC, 8, std::string(24, '\0')},
                 {".rela.dyn", SHT_RELA, SHF_ALLOC, 8, std::string(24 * relocations(), '\0')},
                 {".relr.dyn", SHT_RELR, SHF_ALLOC, 8,
                  std::string(pointers == Pointers::relr ? 8 * wrapper_count() : 0, '\0')},
                 {".rodata", SHT_PROGBITS, SHF_ALLOC, 16, rodata},
                 {".nv_fatbin", SHT_PROGBITS, SHF_ALLOC, 8, joined(fatbins, offsets_)},
                 {"__nv_relfatbin", SHT_PROGBITS, SHF_ALLOC, 8, joined(relocatables, relocatable_offsets_)},
                 {".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, tail},
                 {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 16, data},
                 {".nvFatBinSegment", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, std::string(wrappers, '\0')},
                 {".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, 8, std::string(16 * 8, '\0')},
                 {".relro_padding", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 1, std::string(padding, '\0')},
                 {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 8, std::string(500, '\0')},
                 {".comment", SHT_PROGBITS, 0, 1, "a comment"}};
    std::erase_if(sections_, [](const Section& one) { return one.content.empty(); });
    names_ = std::string(1, '\0');
    for (const Section& one : sections_)
      names_ += one.name + '\0';
    names_ += std::string(".shstrtab") + '\0';
  }

  std::uint64_t relocations() const {
    const bool rela = pointers == Pointers::rela || pointers == Pointers::rela_in_place;
    return (rela ? wrapper_count() : 0) + more_addends.size();
  }

  static std::uint64_t up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
  }
  /// Segments begin at these sections.
  bool begins_segment(const Section& one) const {
    return (one.name == ".rodata" && separate) || one.name == ".data";
  }
  std::size_t program_count() const {
    return (separate ? 3u : 2u) + 2 + (stack ? 1 : 0) + (relro.empty() ? 0 : 1);
  }

  void lay_out() {
    std::uint64_t offset = 64 + 56 * program_count() + room, address = base + offset;
    for (Section& one : sections_) {
      if ((one.flags & SHF_ALLOC) == 0)
        address = offset;
      else if (begins_segment(one)) { // a new page of memory, and as little of the file as that allows
        address = up(address, page) + page;
        offset = up(offset, page);
      }
      const std::uint64_t gap = up(address, one.align) - address;
      address += gap;
      offset += gap;
      one.address = (one.flags & SHF_ALLOC) != 0 ? address : 0;
      one.offset = offset;
      address += one.content.size();
      if (one.type != SHT_NOBITS)
        offset += one.content.size();
    }
    end_ = offset;
  }

  std::uint64_t target(std::size_t wrapper) {
    return wrapper < fatbins.size()
               ? find(".nv_fatbin").address + offsets_[wrapper]
               : find("__nv_relfatbin").address + relocatable_offsets_[wrapper - fatbins.size()];
  }

  void fill() {
    Section& wrappers = find(".nvFatBinSegment");
    std::string rela, relr;
    for (std::size_t i = 0; i < wrapper_count(); ++i) {
      const bool is_rela = pointers == Pointers::rela || pointers == Pointers::rela_in_place;
      put(wrappers.content, 24 * i,
          little(0x466243b1, 4) + little(i == 0 ? version : 1, 4) +
              little(pointers == Pointers::rela ? 0 : target(i), 8));
      const std::uint64_t at = wrappers.address + 24 * i + 8;
      if (is_rela)
        rela += little(at, 8) + little(relative(), 8) + little(target(i), 8);
      relr += little(at, 8);
    }
    for (const std::uint64_t addend : more_addends)
      rela += little(find(".data").address, 8) + little(relative(), 8) +
              little(find(".nv_fatbin").address + addend, 8);
    std::string dynamic = little(DT_GNU_HASH, 8) + little(find(".gnu.hash").address, 8) +
                          little(DT_SYMTAB, 8) + little(find(".dynsym").address, 8);
    if (!rela.empty()) {
      find(".rela.dyn").content = rela;
      dynamic += little(DT_RELA, 8) + little(find(".rela.dyn").address, 8) + little(DT_RELASZ, 8) +
                 little(rela.size(), 8);
    }
    if (pointers == Pointers::relr) {
      find(".relr.dyn").content = relr;
      dynamic += little(DT_RELR, 8) + little(find(".relr.dyn").address, 8) + little(DT_RELRSZ, 8) +
                 little(relr.size(), 8);
    }
    put(find(".dynamic").content, 0, dynamic);
  }

  std::uint64_t relative() const { return machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE; }

  static std::string program(std::uint32_t kind, std::uint32_t flags, std::uint64_t offset,
                             std::uint64_t address, std::uint64_t in_file, std::uint64_t in_memory,
                             std::uint64_t align) {
    return little(kind, 4) + little(flags, 4) + little(offset, 8) + little(address, 8) + little(address, 8) +
           little(in_file, 8) + little(in_memory, 8) + little(align, 8);
  }

  std::string programs() {
    std::string result;
    std::uint64_t offset = 0, address = base, in_file = 0, in_memory = 0;
    std::uint32_t flags = PF_R;
    const auto finish = [&] { result += program(PT_LOAD, flags, offset, address, in_file, in_memory, page); };
    for (const Section& one : sections_) {
      if ((one.flags & SHF_ALLOC) == 0)
        continue;
      if (begins_segment(one)) {
        finish();
        offset = one.offset, address = one.address, in_file = 0;
        flags = one.name == ".data" ? PF_R | PF_W : PF_R;
      }
      in_memory = one.address + one.content.size() - address;
      if (one.type != SHT_NOBITS)
        in_file = in_memory;
    }
    finish();
    const Section &dynamic = find(".dynamic"), &build_id = find(".note.gnu.build-id");
    result += program(PT_DYNAMIC, PF_R | PF_W, dynamic.offset, dynamic.address, dynamic.content.size(),
                      dynamic.content.size(), 8);
    result += program(PT_NOTE, PF_R, build_id.offset, build_id.address, build_id.content.size(),
                      build_id.content.size(), 4);
    if (!relro.empty())
      result += program(PT_GNU_RELRO, PF_R, 0, find(relro).address, relro_size, relro_size, 1);
    return stack ? result + program(PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 16) : result;
  }

  std::string image() {
    std::string table(64, '\0');
    std::size_t name = 1;
    const auto describe = [&](std::uint32_t kind, const Section& one) {
      table += little(name, 4) + little(kind, 4) + little(one.flags, 8) + little(one.address, 8) +
               little(one.offset, 8) + little(one.content.size(), 8) + little(one.link, 4) + little(0, 4) +
               little(one.align, 8) + little(one.entry, 8);
      name += one.name.size() + 1;
    };
    for (const Section& one : sections_)
      describe(one.type, one);
    describe(SHT_STRTAB, {".shstrtab", SHT_STRTAB, 0, 1, names_, 0, end_});
    std::string bytes("\x7f"
                      "ELF\2\1\1");
    bytes.resize(16);
    bytes += little(type, 2) + little(machine, 2) + little(1, 4) + little(base + 0x100, 8) + little(64, 8) +
             little(up(end_ + names_.size(), 8), 8) + little(0, 4) + little(64, 2) + little(56, 2) +
             little(program_count(), 2) + little(64, 2) + little(sections_.size() + 2, 2) +
             little(sections_.size() + 1, 2);
    bytes += programs();
    for (const Section& one : sections_)
      if (one.type != SHT_NOBITS) {
        bytes.resize(one.offset);
        bytes += one.content;
      }
    bytes.resize(end_);
    bytes += names_;
    bytes.resize(up(bytes.size(), 8));
    return bytes + table;
  }

  std::vector<Section> sections_;
  std::vector<std::uint64_t> offsets_, relocatable_offsets_;
  std::string names_;
  std::uint64_t end_ = 0;
};

/// What a loader has at an address: bytes of the file, by its LOAD segments.
inline std::string loaded(const std::string& bytes, std::uint64_t address, std::size_t size) {
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr program{};
    std::memcpy(&program, bytes.data() + header.e_phoff + sizeof program * i, sizeof program);
    if (program.p_type == PT_LOAD && address >= program.p_vaddr &&
        address + size <= program.p_vaddr + program.p_filesz)
      return bytes.substr(program.p_offset + (address - program.p_vaddr), size);
  }
  return {};
}

} // namespace hostpin::test
