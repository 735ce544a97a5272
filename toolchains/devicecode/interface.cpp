// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/interface.hpp"

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf_headers.hpp"

#include <utility>

namespace hostpin::devicecode {

using namespace binary;

namespace {

// Attributes of .nv.info sections as ptxas 11.2 to 13.0 writes them: format, name, and a value of two bytes,
// which is the size of what follows it in the last format.
constexpr std::uint64_t attribute_bytes = 4, sized_format = 4, parameter_bytes = 0x19;
constexpr std::string_view info_of_kernel = ".nv.info.";
constexpr std::size_t longest_name = 4096;

std::optional<std::uint64_t> parameters(const Bytes& cubin, const Elf64_Shdr& info) {
  for (std::uint64_t at = 0; at + attribute_bytes <= info.sh_size;) {
    const auto attribute = cubin.little(info.sh_offset + at, attribute_bytes);
    if (!attribute)
      return std::nullopt;
    const std::uint64_t format = *attribute & 0xFFU, value = *attribute >> 16U;
    if ((*attribute >> 8U & 0xFFU) == parameter_bytes)
      return value;
    at += attribute_bytes + (format == sized_format ? value : 0);
  }
  return std::nullopt;
}

/// Variables with names of the source; in a whole program they are local. Names with `$` are the compiler's.
void add_variables(const Bytes& cubin, const ElfHeaders& headers, const Elf64_Shdr& table, Interface& all) {
  if (table.sh_link >= headers.sections.size())
    return;
  const Elf64_Shdr& names = headers.sections[table.sh_link];
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = read_structure<Elf64_Sym>(cubin, table.sh_offset + at);
    if (!symbol || symbol->st_name >= names.sh_size)
      return;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF)
      continue;
    const std::string_view name = cubin.up_to(names.sh_offset + symbol->st_name, longest_name);
    if (!name.starts_with('$'))
      all.emplace(name.substr(0, name.find('\0')), symbol->st_size);
  }
}

} // namespace

Interface interface_of(std::string_view cubin) {
  const InputFile file(cubin);
  const Bytes bytes(file);
  Interface all;
  const auto headers = read_elf_headers(bytes);
  if (!headers || !*headers)
    return all;
  for (const Elf64_Shdr& section : (*headers)->sections) {
    const std::string_view name = (*headers)->name(section);
    if (section.sh_type == SHT_SYMTAB)
      add_variables(bytes, **headers, section, all);
    else if (name.starts_with(info_of_kernel))
      if (const auto size = parameters(bytes, section))
        all.emplace(std::string(name.substr(info_of_kernel.size())), *size);
  }
  return all;
}

void add_interface(Interface& all, const Interface& more) {
  for (const auto& [name, size] : more)
    if (auto& known = all.emplace(name, size).first->second; known != size)
      known = varying;
}

std::optional<std::string> conflict(Interface& all, const Interface& more) {
  for (const auto& [name, size] : more)
    if (const auto known = all.emplace(name, size).first->second; known != size && known != varying)
      return name;
  return std::nullopt;
}

} // namespace hostpin::devicecode
