// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/elf_headers.hpp"
#include "toolchains/binary/section_order.hpp"

#include <doctest/doctest.h>

using namespace hostpin::binary;

namespace {

Elf64_Shdr section(Elf64_Word type, Elf64_Off offset, Elf64_Word link = 0, Elf64_Word info = 0) {
  Elf64_Shdr result{};
  result.sh_type = type;
  result.sh_offset = offset;
  result.sh_size = 8;
  result.sh_link = link;
  result.sh_info = info;
  return result;
}

Elf64_Sym symbol(Elf64_Section section) {
  Elf64_Sym result{};
  result.st_shndx = section;
  return result;
}

} // namespace

TEST_CASE("section headers are numbered by offset, with what refers to them") {
  // A note that was moved to the end; a table of symbols, its strings, relocations of the note, .bss.
  const std::vector<Elf64_Shdr> before{section(SHT_NULL, 0),           section(SHT_NOTE, 900),
                                       section(SHT_SYMTAB, 100, 3, 1), section(SHT_STRTAB, 200),
                                       section(SHT_RELA, 300, 2, 1),   section(SHT_NOBITS, 5000)};
  const SectionOrder order(before);
  REQUIRE(order.changes());
  const std::vector<Elf64_Shdr> after = order.ordered(before);
  CHECK(after[0].sh_type == SHT_NULL);
  CHECK(after[1].sh_type == SHT_SYMTAB);
  CHECK(after[1].sh_link == 2);
  CHECK(after[1].sh_info == 1); // a number of symbols
  CHECK(after[2].sh_type == SHT_STRTAB);
  CHECK(after[3].sh_type == SHT_RELA);
  CHECK(after[3].sh_link == 1);
  CHECK(after[3].sh_info == 5);
  CHECK(after[4].sh_type == SHT_NOBITS); // behind the one before it
  CHECK(after[5].sh_type == SHT_NOTE);

  std::string table =
      bytes_of(std::vector<Elf64_Sym>{symbol(SHN_UNDEF), symbol(1), symbol(5), symbol(SHN_ABS), symbol(0)});
  CHECK(order.renumber_symbols(table));
  CHECK(table == bytes_of(std::vector<Elf64_Sym>{symbol(SHN_UNDEF), symbol(5), symbol(4), symbol(SHN_ABS),
                                                 symbol(0)}));
}

TEST_CASE("section headers that ascend stay as they are") {
  const std::vector<Elf64_Shdr> before{section(SHT_NULL, 0), section(SHT_PROGBITS, 64),
                                       section(SHT_NOBITS, 4096), section(SHT_STRTAB, 72)};
  const SectionOrder order(before);
  CHECK(!order.changes());
  std::string table = bytes_of(symbol(3));
  CHECK(!order.renumber_symbols(table));
}
