// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/host_half.hpp"

#include "toolchains/devicecode/same_code.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hostpin::devicecode {

using namespace binary;

namespace {

bool is_device(const Image& image, std::size_t section) {
  return std::any_of(image.sections.begin(), image.sections.end(),
                     [&](const DeviceSection& each) { return each.index == section; });
}

/// Ranges of addresses or offsets that are not compared.
class Excluded {
public:
  void add(std::uint64_t begin, std::uint64_t size) {
    if (size != 0)
      ranges_.emplace_back(begin, begin + size);
  }
  void sort() { std::sort(ranges_.begin(), ranges_.end()); }

  /// Visits what is left of a range; until false.
  template <typename Visit>
  bool each_rest(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
    for (const auto& [from, to] : ranges_) {
      if (from >= end)
        break;
      if (begin < from && !visit(begin, from))
        return false;
      begin = std::max(begin, std::min(to, end));
    }
    return begin >= end || visit(begin, end);
  }

private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

/// One file of the two.
struct Half {
  const Bytes& file;
  const Image& image;

  const ElfHeaders& headers() const { return image.headers; }
  std::string_view name(const Elf64_Shdr& section) const { return headers().name(section); }
};

class Linked {
public:
  Linked(Half before, Half after, const DifferenceVisitor& visit)
      : before_(before), after_(after), visit_(visit) {}

  Reading<bool> compare() {
    compare_headers();
    compare_sections();
    for (const auto step : {&Linked::find_moved, &Linked::compare_dynamic, &Linked::compare_segments})
      TRY((this->*step)());
    return true;
  }

private:
  void compare_headers() const {
    const Elf64_Ehdr &a = before_.headers().file, &b = after_.headers().file;
    if (a.e_type != b.e_type || a.e_machine != b.e_machine || a.e_flags != b.e_flags)
      visit_("the ELF header", "another type or processor");
    if (a.e_entry != b.e_entry)
      visit_("the ELF header", "another entry point");
  }

  /// What is loaded of a file besides device code, by name.
  static std::set<std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t>>
  sections(const Half& half) {
    std::set<std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t>> all;
    for (std::size_t i = 0; i < half.headers().sections.size(); ++i) {
      const Elf64_Shdr& section = half.headers().sections[i];
      if (is_loaded(section) && !is_device(half.image, i))
        all.emplace(half.name(section), section.sh_type, section.sh_flags, section.sh_size);
    }
    return all;
  }

  void compare_sections() const {
    const auto a = sections(before_), b = sections(after_);
    for (const auto& section : a)
      if (!b.contains(section))
        visit_(std::get<0>(section), "not in the new file, or of another type or size");
    for (const auto& section : b)
      if (!a.contains(section))
        visit_(std::get<0>(section), "not in the old file, or of another type or size");
  }

  /// The loaded sections of the other file by name, each as often as there are such.
  using Named = std::multimap<std::string_view, const Elf64_Shdr*>;
  Named loaded_of_other() const {
    Named all;
    for (const Elf64_Shdr& section : after_.headers().sections)
      if (is_loaded(section))
        all.emplace(after_.name(section), &section);
    return all;
  }

  /// The first sections may make room for program headers: their content is compared by their names.
  Reading<bool> find_moved() {
    Named others = loaded_of_other();
    for (const Elf64_Shdr& section : before_.headers().sections) {
      const auto found = is_loaded(section) ? others.find(before_.name(section)) : others.end();
      if (found == others.end())
        continue;
      const Elf64_Shdr& other = *found->second;
      others.erase(found);
      const bool moved = other.sh_addr != section.sh_addr || section.sh_type == SHT_DYNSYM;
      if (!moved || section.sh_type == SHT_NOBITS || is_device_section(section) ||
          other.sh_size != section.sh_size || other.sh_flags != section.sh_flags)
        continue;
      TRY(compare_moved(section, other));
    }
    return true;
  }

  Reading<bool> compare_moved(const Elf64_Shdr& section, const Elf64_Shdr& other) {
    const auto same =
        section.sh_type == SHT_DYNSYM ? same_symbols(section, other) : same_bytes(section, other);
    if (!same)
      return same;
    if (!*same)
      visit_(std::string(before_.name(section)), "other bytes");
    moved_.emplace(section.sh_addr, other.sh_addr);
    excluded_.add(section.sh_addr, section.sh_size);
    return true;
  }

  Reading<bool> same_bytes(const Elf64_Shdr& section, const Elf64_Shdr& other) const {
    const auto found =
        first_difference(before_.file, section.sh_offset, after_.file, other.sh_offset, section.sh_size);
    return found ? Reading<bool>(!*found) : tl::unexpected(found.error());
  }

  /// Symbols name their sections by number, which follows the order in the file.
  Reading<bool> same_symbols(const Elf64_Shdr& section, const Elf64_Shdr& other) const {
    if (section.sh_size > before_.file.size())
      return damaged("its symbols are past its end");
    std::string a(section.sh_size, '\0'), b(section.sh_size, '\0');
    if (!before_.file.read(section.sh_offset, a.data(), a.size()) ||
        !after_.file.read(other.sh_offset, b.data(), b.size()))
      return damaged("its symbols cannot be read");
    for (std::size_t at = offsetof(Elf64_Sym, st_shndx); at + sizeof(Elf64_Section) <= a.size();
         at += sizeof(Elf64_Sym)) {
      Elf64_Section one = 0, two = 0;
      std::memcpy(&one, a.data() + at, sizeof one);
      std::memcpy(&two, b.data() + at, sizeof two);
      if (one != SHN_UNDEF && two != SHN_UNDEF && one < before_.headers().sections.size() &&
          two < after_.headers().sections.size() &&
          before_.name(before_.headers().sections[one]) == after_.name(after_.headers().sections[two]))
        std::memcpy(b.data() + at, &one, sizeof one);
    }
    return a == b;
  }

  bool is_device_section(const Elf64_Shdr& section) const {
    return is_device(before_.image, static_cast<std::size_t>(&section - before_.headers().sections.data()));
  }

  Reading<bool> compare_dynamic() {
    const auto &a = before_.headers().dynamics, &b = after_.headers().dynamics;
    const auto same = [&](const Elf64_Dyn& x, const Elf64_Dyn& y) {
      const auto moved = moved_.find(x.d_un.d_ptr);
      return x.d_tag == y.d_tag &&
             (x.d_un.d_val == y.d_un.d_val || (moved != moved_.end() && moved->second == y.d_un.d_ptr));
    };
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end(), same))
      visit_(".dynamic", "other entries");
    for (const Elf64_Phdr& program : before_.headers().programs)
      if (program.p_type == PT_DYNAMIC)
        excluded_.add(program.p_vaddr, program.p_filesz);
    return true;
  }

  /// The address at which a file's bytes are loaded.
  static std::optional<std::uint64_t> address_of(const ElfHeaders& headers, std::uint64_t offset) {
    for (const Elf64_Phdr& program : headers.programs)
      if (program.p_type == PT_LOAD && offset >= program.p_offset &&
          offset - program.p_offset < program.p_filesz)
        return program.p_vaddr + (offset - program.p_offset);
    return std::nullopt;
  }

  void exclude(const Half& half, std::uint64_t offset, std::uint64_t size) {
    if (const auto address = address_of(half.headers(), offset))
      excluded_.add(*address, size);
  }

  void exclude_device(const Half& half) {
    for (const DeviceSection& section : half.image.sections)
      excluded_.add(section.address, section.size);
    for (const Wrapper& wrapper : half.image.wrappers) {
      excluded_.add(wrapper.address + (wrapper.pointer.at - wrapper.at), 8);
      if (wrapper.pointer.addend)
        exclude(half, *wrapper.pointer.addend, 8);
    }
    exclude(half, 0, sizeof(Elf64_Ehdr));
    exclude(half, half.headers().file.e_phoff, sizeof(Elf64_Phdr) * half.headers().programs.size());
  }

  Reading<bool> compare_segments() {
    exclude_device(before_);
    exclude_device(after_);
    excluded_.sort();
    for (const Elf64_Phdr& program : before_.headers().programs) {
      if (program.p_type != PT_LOAD)
        continue;
      Reading<bool> read = true;
      excluded_.each_rest(program.p_vaddr, program.p_vaddr + program.p_filesz,
                          [&](std::uint64_t begin, std::uint64_t end) {
                            read = compare_memory(program, begin, end);
                            return read.has_value() && *read;
                          });
      if (!read)
        return read;
      compare_zeros(program);
    }
    compare_tables();
    return true;
  }

  /// False after a difference. The other file may have the range in several segments.
  Reading<bool> compare_memory(const Elf64_Phdr& program, std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
      const Elf64_Phdr* const other = after_.headers().segment_of(begin);
      if (other == nullptr || other->p_flags != program.p_flags) {
        visit_(place(begin), other == nullptr ? "not loaded" : "loaded with other permissions");
        return false;
      }
      const std::uint64_t stop = std::min(end, other->p_vaddr + other->p_filesz);
      const auto found =
          first_difference(before_.file, program.p_offset + (begin - program.p_vaddr), after_.file,
                           other->p_offset + (begin - other->p_vaddr), stop - begin);
      if (!found)
        return tl::unexpected(found.error());
      if (*found) {
        visit_(place(begin + **found), "other bytes");
        return false;
      }
      begin = stop;
    }
    return true;
  }

  void compare_zeros(const Elf64_Phdr& program) {
    if (program.p_memsz <= program.p_filesz)
      return;
    const std::uint64_t end = program.p_vaddr + program.p_memsz;
    for (const Elf64_Phdr& other : after_.headers().programs)
      if (other.p_type == PT_LOAD && other.p_vaddr + other.p_memsz == end &&
          other.p_vaddr + other.p_filesz == program.p_vaddr + program.p_filesz)
        return;
    visit_(place(end - 1), "memory of another size");
  }

  /// What the program headers name besides what is loaded.
  void compare_tables() {
    for (const std::uint32_t type : std::initializer_list<std::uint32_t>{
             PT_TLS, PT_GNU_EH_FRAME, PT_GNU_RELRO, PT_GNU_STACK, PT_DYNAMIC})
      if (table(before_, type) != table(after_, type))
        visit_("the program headers", "another header of type " + hexadecimal(type));
  }

  static std::vector<std::uint64_t> table(const Half& half, std::uint32_t type) {
    std::vector<std::uint64_t> all;
    for (const Elf64_Phdr& program : half.headers().programs)
      if (program.p_type == type)
        all.insert(all.end(), {program.p_vaddr, program.p_memsz, program.p_flags});
    return all;
  }

  /// `.text at 0x1234`.
  std::string place(std::uint64_t address) const {
    for (const Elf64_Shdr& section : before_.headers().sections)
      if (is_loaded(section) && address >= section.sh_addr && address - section.sh_addr < section.sh_size)
        return std::string(before_.name(section)) + " at " + hexadecimal(address);
    return "the memory at " + hexadecimal(address);
  }

  Half before_, after_;
  const DifferenceVisitor& visit_;
  std::map<std::uint64_t, std::uint64_t> moved_; ///< addresses of sections
  Excluded excluded_;
};

/// What a linker gets of an object: its loaded sections and their relocations, in order.
std::vector<const Elf64_Shdr*> host_sections(const Half& half) {
  std::vector<const Elf64_Shdr*> found;
  const auto& all = half.headers().sections;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_relocation = all[i].sh_type == SHT_RELA && all[i].sh_info < all.size();
    const std::size_t of = is_relocation ? all[i].sh_info : i;
    if (is_loaded(all[of]) && !is_device(half.image, of) && half.name(all[of]) != ".nvFatBinSegment")
      found.push_back(&all[i]);
  }
  return found;
}

Reading<bool> compare_objects(const Half& before, const Half& after, const DifferenceVisitor& visit) {
  const auto a = host_sections(before), b = host_sections(after);
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size() || before.name(*a[i]) != after.name(*b[i])) {
      visit(std::string(i < a.size() ? before.name(*a[i]) : after.name(*b[i])), "not in both files");
      return true;
    }
    const Elf64_Shdr &x = *a[i], &y = *b[i];
    if (x.sh_type != y.sh_type || x.sh_flags != y.sh_flags || x.sh_size != y.sh_size) {
      visit(std::string(before.name(x)), "another type or size");
      continue;
    }
    if (x.sh_type == SHT_NOBITS)
      continue;
    TRY_ASSIGN(const auto found,
               first_difference(before.file, x.sh_offset, after.file, y.sh_offset, x.sh_size));
    if (found)
      visit(std::string(before.name(x)), "other bytes, from " + hexadecimal(*found) + " on");
  }
  return true;
}

} // namespace

Reading<bool> compare_host_halves(const Bytes& before, const Image& in_before, const Bytes& after,
                                  const Image& in_after, const DifferenceVisitor& visit) {
  const Half a{before, in_before}, b{after, in_after};
  if (in_before.is_linked() != in_after.is_linked()) {
    visit("the ELF header", "another type");
    return true;
  }
  return in_before.is_linked() ? Linked(a, b, visit).compare() : compare_objects(a, b, visit);
}

} // namespace hostpin::devicecode
