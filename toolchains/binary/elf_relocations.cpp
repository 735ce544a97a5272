// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/elf_relocations.hpp"

#include <cstddef>

namespace hostpin::binary {

namespace {

constexpr auto unreadable = "its relocations cannot be read";

std::optional<std::uint32_t> relative_type(std::uint16_t machine) {
  switch (machine) {
  case EM_X86_64:
    return R_X86_64_RELATIVE;
  case EM_AARCH64:
    return R_AARCH64_RELATIVE;
  case EM_PPC64:
    return R_PPC64_RELATIVE;
  default:
    return std::nullopt;
  }
}

struct Table {
  std::uint64_t offset = 0, size = 0;
};

/// Where a table is in the file, by its entries in the dynamic segment; of no size if there is none.
Reading<Table> table_of(const ElfHeaders& headers, std::int64_t address_tag, std::int64_t size_tag) {
  const auto address = headers.dynamic(address_tag), size = headers.dynamic(size_tag);
  if (!address || !size || *size == 0)
    return Table{};
  const auto offset = headers.offset_of(*address, *size);
  if (!offset)
    return damaged("its relocations are in no segment");
  return Table{*offset, *size};
}

using Visit = std::function<Reading<bool>(const RelocatedWord&)>;

Reading<bool> each_rela(const Bytes& file, const ElfHeaders& headers, std::int64_t address_tag,
                        std::int64_t size_tag, const Visit& visit) {
  TRY_ASSIGN(const auto table, table_of(headers, address_tag, size_tag));
  const auto relative = relative_type(headers.file.e_machine);
  for (std::uint64_t done = 0; done + sizeof(Elf64_Rela) <= table.size; done += sizeof(Elf64_Rela)) {
    const auto entry = read_structure<Elf64_Rela>(file, table.offset + done);
    if (!entry)
      return damaged(unreadable);
    if (ELF64_R_TYPE(entry->r_info) == R_X86_64_NONE) // 0 for all processors: it changes nothing
      continue;
    TRY(visit({entry->r_offset, ELF64_R_TYPE(entry->r_info) == relative,
               static_cast<std::uint64_t>(entry->r_addend), ELF64_R_SYM(entry->r_info),
               table.offset + done + offsetof(Elf64_Rela, r_addend)}));
  }
  return true;
}

Reading<bool> visit_word(const Bytes& file, const ElfHeaders& headers, std::uint64_t address,
                         const Visit& visit) {
  const auto offset = headers.offset_of(address, 8);
  const auto value = offset ? file.little(*offset, 8) : std::nullopt;
  if (!value)
    return damaged("a word that is relocated is in no segment");
  return visit({address, true, *value, 0, std::nullopt});
}

/// An entry of DT_RELR is an address, or a bitmap of the 63 words after the last one.
Reading<bool> each_relr(const Bytes& file, const ElfHeaders& headers, const Visit& visit) {
  TRY_ASSIGN(const auto table, table_of(headers, DT_RELR, DT_RELRSZ));
  std::uint64_t next = 0;
  for (std::uint64_t done = 0; done + 8 <= table.size; done += 8) {
    const auto entry = file.little(table.offset + done, 8);
    if (!entry)
      return damaged(unreadable);
    const bool is_bitmap = (*entry & 1U) != 0;
    if (!is_bitmap)
      next = *entry;
    for (std::uint64_t bit = is_bitmap ? 1 : 0; bit < (is_bitmap ? 64U : 1U); ++bit)
      if (!is_bitmap || (*entry >> bit & 1U) != 0)
        TRY(visit_word(file, headers, next + 8 * (is_bitmap ? bit - 1 : 0), visit));
    next += std::uint64_t{8} * (is_bitmap ? 63 : 1);
  }
  return true;
}

} // namespace

bool has_known_relocations(std::uint16_t machine) {
  return relative_type(machine).has_value();
}

Reading<bool> each_relocated_word(const Bytes& file, const ElfHeaders& headers, const Visit& visit) {
  auto visited = each_rela(file, headers, DT_RELA, DT_RELASZ, visit);
  if (visited && headers.dynamic(DT_PLTREL) == DT_RELA)
    visited = each_rela(file, headers, DT_JMPREL, DT_PLTRELSZ, visit);
  return visited ? each_relr(file, headers, visit) : visited;
}

} // namespace hostpin::binary
