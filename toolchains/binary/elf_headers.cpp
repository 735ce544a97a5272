// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/elf_headers.hpp"

#include <bit>

namespace hostpin::binary {

namespace {

constexpr std::size_t most_names = std::size_t{4} << 20U, most_dynamics = 4096;

/// Reads `count` structures; false if they are outside the file.
template <typename T>
bool read_table(const Bytes& file, std::uint64_t offset, std::uint64_t count, std::vector<T>& table) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T))
    return false;
  table.resize(static_cast<std::size_t>(count));
  return file.read(offset, reinterpret_cast<char*>(table.data()), table.size() * sizeof(T));
}

Reading<bool> read_programs(const Bytes& file, ElfHeaders& headers) {
  if (headers.file.e_phnum == 0)
    return true;
  if (headers.file.e_phentsize != sizeof(Elf64_Phdr) || headers.file.e_phnum == PN_XNUM)
    return damaged("its program headers have another size or number than those of ELF");
  if (!read_table(file, headers.file.e_phoff, headers.file.e_phnum, headers.programs))
    return damaged("its program headers are past its end");
  return true;
}

Reading<bool> read_sections(const Bytes& file, ElfHeaders& headers) {
  if (headers.file.e_shoff == 0)
    return true;
  const auto first = read_structure<Elf64_Shdr>(file, headers.file.e_shoff);
  if (headers.file.e_shentsize != sizeof(Elf64_Shdr))
    return damaged("its section headers have another size than those of ELF");
  if (!first ||
      !read_table(file, headers.file.e_shoff,
                  headers.file.e_shnum != 0 ? headers.file.e_shnum : first->sh_size, headers.sections))
    return damaged("its section headers are past its end");
  const std::uint64_t index =
      headers.file.e_shstrndx == SHN_XINDEX ? first->sh_link : headers.file.e_shstrndx;
  if (headers.sections.empty() || index == SHN_UNDEF)
    return true;
  if (index >= headers.sections.size() || headers.sections[index].sh_type != SHT_STRTAB)
    return damaged("its table of sections does not hold the one with their names");
  const Elf64_Shdr& names = headers.sections[index];
  if (names.sh_size > most_names)
    return damaged("the names of its sections are longer than in any real file");
  headers.names.resize(static_cast<std::size_t>(names.sh_size));
  if (!file.read(names.sh_offset, headers.names.data(), headers.names.size()))
    return damaged("the names of its sections cannot be read");
  headers.names += '\0';
  return true;
}

Reading<bool> read_dynamics(const Bytes& file, ElfHeaders& headers) {
  for (const Elf64_Phdr& program : headers.programs) {
    if (program.p_type != PT_DYNAMIC)
      continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= program.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = read_structure<Elf64_Dyn>(file, program.p_offset + at);
      if (!entry || headers.dynamics.size() == most_dynamics)
        return damaged("its dynamic segment cannot be read");
      if (entry->d_tag == DT_NULL)
        break;
      headers.dynamics.push_back(*entry);
    }
  }
  return true;
}

} // namespace

std::string_view ElfHeaders::name(const Elf64_Shdr& section) const {
  return section.sh_name < names.size() ? std::string_view(names.c_str() + section.sh_name)
                                        : std::string_view();
}

const Elf64_Shdr* ElfHeaders::section_named(std::string_view wanted) const {
  for (const Elf64_Shdr& section : sections)
    if (section.sh_type != SHT_NULL && name(section) == wanted)
      return &section;
  return nullptr;
}

const Elf64_Phdr* ElfHeaders::segment_of(std::uint64_t address) const {
  for (const Elf64_Phdr& program : programs)
    if (program.p_type == PT_LOAD && address >= program.p_vaddr &&
        address - program.p_vaddr < program.p_filesz)
      return &program;
  return nullptr;
}

std::optional<std::uint64_t> ElfHeaders::offset_of(std::uint64_t address, std::uint64_t size) const {
  const Elf64_Phdr* const segment = segment_of(address);
  if (segment == nullptr || size > segment->p_filesz - (address - segment->p_vaddr))
    return std::nullopt;
  return segment->p_offset + (address - segment->p_vaddr);
}

std::optional<std::uint64_t> ElfHeaders::dynamic(std::int64_t tag) const {
  for (const Elf64_Dyn& entry : dynamics)
    if (entry.d_tag == tag)
      return entry.d_un.d_val;
  return std::nullopt;
}

Reading<bool> consistent(const ElfHeaders& headers, std::uint64_t size) {
  const auto outside = [size](std::uint64_t offset, std::uint64_t bytes) {
    return offset > size || bytes > size - offset;
  };
  for (const Elf64_Phdr& program : headers.programs)
    if (program.p_filesz != 0 && outside(program.p_offset, program.p_filesz))
      return damaged("a segment is past its end");
  for (const Elf64_Shdr& section : headers.sections) {
    if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS || section.sh_size == 0)
      continue;
    if (outside(section.sh_offset, section.sh_size))
      return damaged("a section is past its end");
    if (is_loaded(section) && headers.offset_of(section.sh_addr, section.sh_size) != section.sh_offset)
      return damaged("a loaded section is not in the segment of its address");
  }
  return true;
}

Reading<std::optional<ElfHeaders>> read_elf_headers(const Bytes& file) {
  static_assert(std::endian::native == std::endian::little, "structures of elf.h are read as they are");
  const std::string_view magic = file.up_to(0, EI_NIDENT);
  if (!magic.starts_with(ELFMAG) || magic.size() < EI_NIDENT || magic[EI_CLASS] != ELFCLASS64 ||
      magic[EI_DATA] != ELFDATA2LSB)
    return std::nullopt;
  ElfHeaders headers;
  const auto header = read_structure<Elf64_Ehdr>(file, 0);
  if (!header)
    return damaged("it ends within its ELF header");
  headers.file = *header;
  for (const auto step : {read_programs, read_sections, read_dynamics})
    TRY(step(file, headers));
  return headers;
}

} // namespace hostpin::binary
