// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/section_order.hpp"

#include "toolchains/binary/elf_headers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace hostpin::binary {

SectionOrder::SectionOrder(const std::vector<Elf64_Shdr>& sections) : numbers_(sections.size()) {
  // One without bytes, such as .bss, stays behind the one before it, whatever its offset is.
  std::vector<std::uint64_t> offsets(sections.size());
  for (std::size_t i = 1; i < sections.size(); ++i)
    offsets[i] = has_bytes(sections[i]) ? sections[i].sh_offset : offsets[i - 1];
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; });
  for (std::size_t i = 0; i < order.size(); ++i)
    numbers_[order[i]] = i;
  changes_ = !std::is_sorted(order.begin(), order.end());
}

std::vector<Elf64_Shdr> SectionOrder::ordered(const std::vector<Elf64_Shdr>& sections) const {
  std::vector<Elf64_Shdr> result(sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i) {
    Elf64_Shdr section = sections[i];
    section.sh_link = static_cast<Elf64_Word>(of(section.sh_link));
    const bool relocates = section.sh_type == SHT_REL || section.sh_type == SHT_RELA;
    if (relocates || (section.sh_flags & SHF_INFO_LINK) != 0)
      section.sh_info = static_cast<Elf64_Word>(of(section.sh_info));
    result[of(i)] = section;
  }
  return result;
}

bool SectionOrder::renumber_symbols(std::string& table) const {
  bool changed = false;
  for (std::size_t at = offsetof(Elf64_Sym, st_shndx); at + sizeof(Elf64_Section) <= table.size();
       at += sizeof(Elf64_Sym)) {
    Elf64_Section old = 0;
    std::memcpy(&old, table.data() + at, sizeof old);
    const auto now = static_cast<Elf64_Section>(of(old));
    std::memcpy(table.data() + at, &now, sizeof now);
    changed = changed || now != old;
  }
  return changed;
}

} // namespace hostpin::binary
