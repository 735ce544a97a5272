// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/elf_dynamic.hpp"

#include "toolchains/library/elf_strings.hpp"

namespace hostpin {

std::optional<ElfSegments> read_segments(const ElfBytes& file) {
  constexpr std::uint64_t type_load = 1;
  constexpr std::uint64_t type_dynamic = 2;
  constexpr std::uint64_t type_interpreter = 3;
  const bool wide = file.wide();
  const auto table = file.word(wide ? 32 : 28);
  const auto entry_size = file.number(wide ? 54 : 42, 2);
  const auto count = file.number(wide ? 56 : 44, 2);
  if (!table || !entry_size || !count || *entry_size < (wide ? 56U : 32U))
    return std::nullopt;
  ElfSegments segments;
  for (std::uint64_t i = 0; i < *count; ++i) {
    // No overflow: both factors have 16 bits, and a table that starts beyond the file fails on its first
    // entry.
    const std::uint64_t at = *table + i * *entry_size;
    const auto type = file.number(at, 4);
    const auto offset = file.word(at + (wide ? 8 : 4));
    const auto address = file.word(at + (wide ? 16 : 8));
    const auto size = file.word(at + (wide ? 32 : 16));
    if (!type || !offset || !address || !size)
      return std::nullopt;
    if (*type == type_load)
      segments.loaded.push_back({*offset, *address, *size});
    if (*type == type_dynamic)
      segments.dynamic = ElfSegment{*offset, *address, *size};
    if (*type == type_interpreter)
      segments.interpreter = ElfSegment{*offset, *address, *size};
  }
  return segments;
}

std::optional<DynamicSegment> read_dynamic(const ElfBytes& file, const ElfSegment& segment) {
  const std::uint64_t half = file.wide() ? 8 : 4;
  DynamicSegment dynamic;
  for (std::uint64_t done = 0; done + 2 * half <= segment.size; done += 2 * half) {
    const auto tag = file.word(segment.offset + done);
    const auto value = file.word(segment.offset + done + half);
    if (!tag || !value)
      return std::nullopt;
    switch (*tag) {
    case 0: // DT_NULL
      return dynamic;
    case 1: // DT_NEEDED
      if (dynamic.needed.size() == most_names)
        return std::nullopt;
      dynamic.needed.push_back(*value);
      break;
    case 5: // DT_STRTAB
      dynamic.strings = value;
      break;
    case 10: // DT_STRSZ
      dynamic.strings_size = value;
      break;
    case 14: // DT_SONAME
      dynamic.soname = value;
      break;
    case 15: // DT_RPATH
      dynamic.rpath = value;
      break;
    case 29: // DT_RUNPATH
      dynamic.runpath = value;
      break;
    case 0x6ffffefb: // DT_DEPAUDIT
    case 0x6ffffefc: // DT_AUDIT
    case 0x7ffffffd: // DT_AUXILIARY
    case 0x7fffffff: // DT_FILTER
      if (dynamic.loaded_besides.size() == most_names)
        return std::nullopt;
      dynamic.loaded_besides.push_back(*value);
      break;
    case 0x6ffffffb: // DT_FLAGS_1
      dynamic.flags = value;
      break;
    case 0x6ffffffc: // DT_VERDEF
      dynamic.definitions = value;
      break;
    case 0x6ffffffd: // DT_VERDEFNUM
      dynamic.definition_count = value;
      break;
    case 0x6ffffffe: // DT_VERNEED
      dynamic.needs = value;
      break;
    case 0x6fffffff: // DT_VERNEEDNUM
      dynamic.need_count = value;
      break;
    default:
      break;
    }
  }
  return dynamic;
}

std::optional<std::uint64_t> offset_of(const ElfSegments& segments, std::uint64_t address) {
  for (const ElfSegment& segment : segments.loaded)
    if (address >= segment.address && address - segment.address < segment.size)
      return segment.offset + (address - segment.address);
  return std::nullopt;
}

} // namespace hostpin
