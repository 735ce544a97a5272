// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/unit/toolchains/fatbin/pieces.hpp"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <utility>
#include <vector>

// Objects with fatbins as compilers and `ld -r` write them.

namespace hostpin::test {

class DeviceObject {
public:
  std::vector<std::string> fatbins;
  std::uint64_t alignment_behind = 8; ///< of what follows them
  std::uint32_t relocation_type = R_X86_64_64;
  bool own_symbols = false;      ///< relocations use a symbol for each fatbin, not that of the section
  std::uint64_t more_addend = 0; ///< of an additional relocation
  std::uint64_t symbol_size = 0; ///< of the symbol for the first fatbin
  std::string section = ".nv_fatbin";
  std::uint32_t version = 1; ///< of the first wrapper

  struct Section {
    std::string name;
    std::uint32_t type = SHT_PROGBITS;
    std::string content{};
    std::uint64_t flags = 0, alignment = 8;
    std::uint32_t link = 0, info = 0;
    std::uint64_t entry = 0, offset = 0;
  };

  std::string build() {
    std::string code, wrappers;
    std::vector<std::uint64_t> offsets;
    for (const std::string& fatbin : fatbins) {
      code.resize((code.size() + 7) / 8 * 8);
      offsets.push_back(code.size());
      code += fatbin;
      wrappers +=
          little(0x466243b1, 4) + little(offsets.size() == 1 ? version : 1U, 4) + std::string(16, '\0');
    }
    sections = {{"", SHT_NULL},
                {".text", SHT_PROGBITS, std::string(37, 't'), SHF_ALLOC, 16},
                {section, SHT_PROGBITS, code, SHF_ALLOC, 8},
                {".nvFatBinSegment", SHT_PROGBITS, wrappers, SHF_ALLOC, alignment_behind},
                {".bss", SHT_NOBITS, {}, SHF_ALLOC, 8},
                {".rela.nvFatBinSegment", SHT_RELA, relocations(offsets), 0, 8, 6, 3, sizeof(Elf64_Rela)},
                {".symtab", SHT_SYMTAB, symbols(offsets), 0, 8, 7, 0, sizeof(Elf64_Sym)},
                {".strtab", SHT_STRTAB, std::string(1, '\0'), 0, 1},
                {".shstrtab", SHT_STRTAB, {}, 0, 1}};
    return image();
  }

  std::vector<Section> sections;

private:
  template <typename T>
  static std::string bytes(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  std::string relocations(const std::vector<std::uint64_t>& offsets) const {
    std::string table;
    const auto add = [&](std::uint64_t at, std::uint64_t symbol, std::uint64_t addend) {
      table +=
          bytes(Elf64_Rela{at, ELF64_R_INFO(symbol, relocation_type), static_cast<Elf64_Sxword>(addend)});
    };
    for (std::size_t i = 0; i < offsets.size(); ++i)
      add(24 * i + 8, own_symbols ? 2 + i : 1, own_symbols ? 0 : offsets[i]);
    if (more_addend != 0)
      add(16, 1, more_addend);
    return table;
  }

  std::string symbols(const std::vector<std::uint64_t>& offsets) const {
    std::string table(sizeof(Elf64_Sym), '\0');
    table += bytes(Elf64_Sym{0, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 0, 2, 0, 0});
    for (const std::uint64_t offset : offsets)
      table += bytes(
          Elf64_Sym{0, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, 2, offset, offset == 0 ? symbol_size : 0});
    return table;
  }

  std::string image() {
    std::string names, file(sizeof(Elf64_Ehdr), '\0'), table;
    for (Section& each : sections)
      each.type == SHT_NULL ? names += '\0' : names += each.name + '\0';
    sections.back().content = names;
    std::uint32_t name = 0;
    for (Section& each : sections) {
      file.resize((file.size() + each.alignment - 1) / each.alignment * each.alignment, 'p');
      each.offset = each.type == SHT_NULL ? 0 : file.size();
      const Elf64_Shdr header{name,      each.type,   each.flags,
                              0,         each.offset, each.type == SHT_NOBITS ? 24 : each.content.size(),
                              each.link, each.info,   each.alignment,
                              each.entry};
      table += bytes(header);
      file += each.content;
      name += static_cast<std::uint32_t>(each.name.size() + 1);
    }
    file.resize((file.size() + 7) / 8 * 8, 'p');
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG "\2\1\1", 7);
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_version = 1;
    header.e_shoff = file.size();
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(sections.size());
    header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
    put(file, 0, bytes(header));
    return file + table;
  }
};

/// An archive as GNU ar writes it: its table of symbols names a symbol for each member, unless `symbols` is
/// false.
inline std::string ar_of(const std::vector<std::pair<std::string, std::string>>& members, bool wide = false,
                         bool symbols = true) {
  const auto header = [](std::string name, std::size_t size) {
    const std::string number = std::to_string(size);
    name.resize(16, ' ');
    return name + "0           0     0     644     " + number + std::string(10 - number.size(), ' ') + "`\n";
  };
  const std::size_t word = wide ? 8 : 4;
  const auto big = [&](std::uint64_t value) {
    const std::string reversed = little(value, word);
    return std::string(reversed.rbegin(), reversed.rend());
  };
  std::string names;
  for (std::size_t i = 0; i < members.size(); ++i)
    names += std::string("s") + '\0';
  const std::size_t table_size = (members.size() + 1) * word + names.size();
  std::uint64_t at = 8 + (symbols ? 60 + table_size + table_size % 2 : 0);
  std::string table = big(members.size()), content;
  for (const auto& [name, bytes] : members) {
    table += big(at);
    std::string member = header(name + '/', bytes.size()) + bytes;
    member.resize(member.size() + member.size() % 2, '\n');
    at += member.size();
    content += member;
  }
  table += names;
  table.resize(table.size() + table.size() % 2, '\n');
  return "!<arch>\n" + (symbols ? header(wide ? "/SYM64/" : "/", table_size) + table : "") + content;
}

} // namespace hostpin::test
