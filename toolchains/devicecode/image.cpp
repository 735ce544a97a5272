// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/image.hpp"

#include "toolchains/binary/elf_relocations.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

namespace hostpin::devicecode {

using namespace binary;

namespace {

constexpr std::string_view wrapper_section = ".nvFatBinSegment", relocatable_section = "__nv_relfatbin",
                           loaded_section = ".nv_fatbin";
constexpr std::uint64_t wrapper_version_at = 4, wrapper_pointer_at = 8, wrapper_list_at = 16;
constexpr auto unexplained = "it has an address of device code that no wrapper explains";

Reading<DeviceSection> read_section(const Bytes& file, const ElfHeaders& headers, std::size_t index) {
  const Elf64_Shdr& header = headers.sections[index];
  DeviceSection section{std::string(headers.name(header)),
                        index,
                        header.sh_offset,
                        headers.is_linked() ? header.sh_addr : 0,
                        header.sh_size,
                        headers.name(header) == relocatable_section,
                        {}};
  const auto bytes = file.part(header.sh_offset, header.sh_size);
  if (!bytes || header.sh_type == SHT_NOBITS)
    return damaged("a section of device code has no bytes in the file");
  TRY(each_whole_fatbin(*bytes, [&](const EmbeddedFatbin& found) -> Reading<bool> {
    Fatbin fatbin{section.at + found.at, 0, found.header, found.content, found.entries, {}};
    if (headers.is_linked())
      fatbin.address = section.address + found.at;
    for (EmbeddedCode& entry : fatbin.entries) {
      entry.at += section.at;
      entry.fatbin += section.at;
    }
    section.fatbins.push_back(std::move(fatbin));
    return true;
  }));
  return section;
}

Reading<bool> read_sections(const Bytes& file, Image& image) {
  for (std::size_t i = 0; i < image.headers.sections.size(); ++i) {
    const Elf64_Shdr& header = image.headers.sections[i];
    const std::string_view name = image.headers.name(header);
    // A file of debug information alone has the sections without their bytes.
    if ((name != loaded_section && name != relocatable_section) || header.sh_type == SHT_NOBITS)
      continue;
    if (image.is_linked() && (header.sh_flags & SHF_ALLOC) == 0)
      return damaged("its device code is not loaded");
    TRY_ASSIGN(auto section, read_section(file, image.headers, i));
    image.sections.push_back(std::move(section));
  }
  return true;
}

Reading<Wrapper> read_wrapper(const Bytes& file, std::uint64_t at, std::uint64_t address) {
  if (file.little(at, 4) != Wrapper::magic)
    return damaged("its section of wrappers has something else than wrappers");
  Wrapper wrapper;
  wrapper.at = at;
  wrapper.address = address;
  wrapper.version = static_cast<std::uint32_t>(file.little(at + wrapper_version_at, 4).value_or(0));
  if (wrapper.version != Wrapper::whole && wrapper.version != Wrapper::linked)
    return damaged("a wrapper of its device code has the unknown version " + std::to_string(wrapper.version));
  wrapper.pointer.at = at + wrapper_pointer_at;
  wrapper.fatbin = file.little(at + wrapper_pointer_at, 8).value_or(0);
  wrapper.file_or_list = file.little(at + wrapper_list_at, 8).value_or(0);
  return wrapper;
}

Reading<bool> read_wrappers(const Bytes& file, Image& image) {
  for (const Elf64_Shdr& header : image.headers.sections) {
    if (image.headers.name(header) != wrapper_section || header.sh_type == SHT_NOBITS)
      continue;
    if (header.sh_size % Wrapper::bytes != 0)
      return damaged("its section of wrappers has a part of a wrapper");
    for (std::uint64_t done = 0; done < header.sh_size; done += Wrapper::bytes) {
      TRY_ASSIGN(auto wrapper, read_wrapper(file, header.sh_offset + done, header.sh_addr + done));
      image.wrappers.push_back(wrapper);
    }
  }
  return true;
}

/// Finds out how the addresses of device code are stored.
class Addresses {
public:
  Addresses(const Bytes& file, Image& image) : file_(file), image_(image) {
    for (std::size_t i = 0; i < image.wrappers.size(); ++i)
      pointers_.emplace(image.wrappers[i].address + wrapper_pointer_at, i);
  }

  Reading<bool> read() {
    for (const auto step : {&Addresses::read_symbols, &Addresses::read_words})
      TRY((this->*step)());
    for (const Wrapper& wrapper : image_.wrappers)
      if (image_.headers.file.e_type == ET_DYN && !wrapper.pointer.in_place && !wrapper.pointer.addend)
        return damaged("the address in a wrapper of its device code is not relocated");
    return true;
  }

private:
  bool is_device(std::uint64_t address) const {
    return std::any_of(image_.sections.begin(), image_.sections.end(), [&](const DeviceSection& section) {
      return address >= section.address && address - section.address < section.size;
    });
  }

  bool is_in_memory(std::uint64_t address) const {
    const auto& programs = image_.headers.programs;
    return std::any_of(programs.begin(), programs.end(), [&](const Elf64_Phdr& program) {
      return program.p_type == PT_LOAD && address >= program.p_vaddr &&
             address - program.p_vaddr < program.p_memsz;
    });
  }

  Wrapper* wrapper_with(std::uint64_t pointer) {
    const auto found = pointers_.find(pointer);
    return found == pointers_.end() ? nullptr : &image_.wrappers[found->second];
  }

  /// A symbol that other files can refer to.
  Reading<bool> read_symbols() {
    for (const Elf64_Shdr& header : image_.headers.sections) {
      if (header.sh_type != SHT_DYNSYM)
        continue;
      for (std::uint64_t done = 0; done + sizeof(Elf64_Sym) <= header.sh_size; done += sizeof(Elf64_Sym)) {
        const auto symbol = read_structure<Elf64_Sym>(file_, header.sh_offset + done);
        if (!symbol)
          return damaged("its symbols cannot be read");
        if (symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && is_device(symbol->st_value))
          return damaged("it exports a symbol for its device code");
      }
      symbols_ = std::max(symbols_, header.sh_size / sizeof(Elf64_Sym));
    }
    return true;
  }

  Reading<bool> read_words() {
    return each_relocated_word(file_, image_.headers, [&](const RelocatedWord& word) -> Reading<bool> {
      if (!is_in_memory(word.address))
        return damaged("a relocation changes memory that is in no segment");
      if (is_device(word.address))
        return damaged("a relocation changes its device code");
      if (symbols_ != 0 && word.symbol >= symbols_)
        return damaged("a relocation has a symbol that is not in its table of symbols");
      if (Wrapper* const wrapper = wrapper_with(word.address))
        return take(*wrapper, word);
      return word.relative && is_device(word.target) ? Reading<bool>(damaged(unexplained)) : true;
    });
  }

  static Reading<bool> take(Wrapper& wrapper, const RelocatedWord& word) {
    const bool twice = wrapper.pointer.addend || (!word.addend_at && wrapper.pointer.in_place);
    if (!word.relative || twice || (wrapper.fatbin != 0 && wrapper.fatbin != word.target))
      return damaged("the address in a wrapper of its device code is relocated in an unknown way");
    wrapper.pointer.addend = word.addend_at;
    wrapper.pointer.in_place = wrapper.fatbin != 0;
    wrapper.fatbin = word.target;
    return true;
  }

  const Bytes& file_;
  Image& image_;
  std::map<std::uint64_t, std::size_t> pointers_; ///< the addresses of the wrappers' pointers
  std::uint64_t symbols_ = 0;                     ///< number of those that relocations can use
};

/// Finds the stubs among the fatbins of an object, whose wrappers are relocated: by their order.
void find_stubs_of_object(const Bytes& file, Image& image) {
  const Elf64_Shdr* const wrappers = image.headers.section_named(wrapper_section);
  if (image.sections.size() != 1 || image.sections.front().relocatable || wrappers == nullptr)
    return;
  std::vector<Fatbin>& fatbins = image.sections.front().fatbins;
  std::vector<bool> is_empty;
  for (const Fatbin& fatbin : fatbins)
    is_empty.push_back(fatbin.entries.empty());
  const auto segment = file.part(wrappers->sh_offset, wrappers->sh_size);
  const auto stubs = link_stubs(is_empty, segment ? wrapper_versions(*segment, is_empty.size() + 1)
                                                  : std::vector<std::uint32_t>());
  for (std::size_t i = 0; i < fatbins.size(); ++i)
    fatbins[i].is_stub = stubs[i];
}

/// The same of a linked file.
void find_stubs(Image& image) {
  const bool links = std::any_of(image.sections.begin(), image.sections.end(), [](const auto& section) {
    return section.relocatable && !section.fatbins.empty();
  });
  for (DeviceSection& section : image.sections)
    for (Fatbin& fatbin : section.fatbins)
      fatbin.is_stub = !links && fatbin.entries.empty() &&
                       std::any_of(fatbin.wrappers.begin(), fatbin.wrappers.end(), [&](std::size_t wrapper) {
                         return image.wrappers[wrapper].version == Wrapper::linked;
                       });
}

/// Gives each fatbin the wrappers that point to it.
Reading<bool> connect(Image& image) {
  std::map<std::uint64_t, Fatbin*> fatbins;
  for (DeviceSection& section : image.sections)
    for (Fatbin& fatbin : section.fatbins)
      fatbins.emplace(fatbin.address, &fatbin);
  for (std::size_t i = 0; i < image.wrappers.size(); ++i) {
    const auto found = fatbins.find(image.wrappers[i].fatbin);
    if (found == fatbins.end())
      return damaged("a wrapper of its device code points to something else than a fatbin");
    found->second->wrappers.push_back(i);
  }
  find_stubs(image);
  return true;
}

/// The loader reads the dynamic segment by its address, and strings past their table out of what follows it.
Reading<bool> check_dynamics(const ElfHeaders& headers) {
  for (const Elf64_Phdr& program : headers.programs)
    if (program.p_type == PT_DYNAMIC && program.p_filesz != 0 &&
        headers.offset_of(program.p_vaddr, program.p_filesz) != program.p_offset)
      return damaged("its dynamic segment is loaded from somewhere else");
  const auto size = headers.dynamic(DT_STRSZ);
  constexpr auto strings = std::to_array<std::int64_t>({DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH});
  for (const Elf64_Dyn& entry : headers.dynamics)
    if (size && entry.d_un.d_val >= *size &&
        std::find(strings.begin(), strings.end(), entry.d_tag) != strings.end())
      return damaged("its dynamic segment has a string that is not in its table of strings");
  return true;
}

Reading<bool> read_linked(const Bytes& file, Image& image) {
  if (!has_known_relocations(image.headers.file.e_machine))
    return damaged("it is for a processor whose relocations are not known");
  TRY(consistent(image.headers, file.size()));
  TRY(check_dynamics(image.headers));
  TRY(read_wrappers(file, image));
  if (image.headers.file.e_type == ET_EXEC)
    for (Wrapper& wrapper : image.wrappers)
      wrapper.pointer.in_place = true;
  TRY(Addresses(file, image).read());
  return connect(image);
}

} // namespace

void Image::redirect(const Fatbin& fatbin, std::uint64_t to, ElfChange& change) const {
  if (to == fatbin.address)
    return;
  change.symbols[fatbin.address] = to;
  for (const std::size_t wrapper : fatbin.wrappers) {
    const StoredAddress& pointer = wrappers[wrapper].pointer;
    if (pointer.in_place)
      change.patches[pointer.at] = bytes_of(to);
    if (pointer.addend)
      change.patches[*pointer.addend] = bytes_of(to);
  }
}

std::uint64_t Image::bytes() const {
  std::uint64_t sum = 0;
  for (const DeviceSection& section : sections)
    for (const Fatbin& fatbin : section.fatbins)
      sum += fatbin.size();
  return sum;
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  return "0x" + std::string(digits.data(), std::to_chars(digits.begin(), digits.end(), value, 16).ptr);
}

Reading<std::optional<Image>> read_image(const Bytes& file) {
  TRY_ASSIGN(auto headers, read_elf_headers(file));
  if (!headers)
    return std::nullopt;
  Image image{std::move(*headers), {}, {}};
  auto read = read_sections(file, image);
  if (read && image.is_linked() && !image.sections.empty())
    read = read_linked(file, image);
  else if (read)
    find_stubs_of_object(file, image);
  if (!read)
    return tl::unexpected(std::move(read.error()));
  return image;
}

} // namespace hostpin::devicecode
