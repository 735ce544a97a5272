// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/stub_library.hpp"

#include "toolchains/binary/elf_headers.hpp"

#include <algorithm>
#include <array>
#include <elf.h>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::binary {

namespace {

constexpr std::uint64_t page = 0x10000; ///< the largest one of these machines
constexpr std::uint16_t hidden = 0x8000;

struct Machine {
  std::uint16_t number;
  std::uint32_t trap;  ///< an instruction, or four of one byte
  std::uint32_t flags; ///< e_flags
};

constexpr std::array machines{Machine{EM_X86_64, 0xcccccccc, 0}, Machine{EM_AARCH64, 0xd4200000, 0},
                              Machine{EM_PPC64, 0x7fe00008, 2}}; // 2: the ABI ELFv2

const Machine* machine_of(std::uint16_t number) {
  for (const Machine& machine : machines)
    if (machine.number == number)
      return &machine;
  return nullptr;
}

std::set<std::string> versions_of(const StubLibrary& stub) {
  std::set<std::string> all;
  for (const auto& [name, versions] : stub.functions)
    all.insert(versions.begin(), versions.end());
  return all;
}

/// The hash of the System V ABI, of names of symbols and versions.
std::uint32_t elf_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char letter : name) {
    hash = (hash << 4U) + static_cast<unsigned char>(letter);
    const std::uint32_t high = hash & 0xf0000000U;
    hash = (hash ^ (high >> 24U)) & ~high;
  }
  return hash;
}

/// Strings one after another, each once.
class StringTable {
public:
  std::uint32_t add(const std::string& text) {
    const auto [found, added] = known_.emplace(text, static_cast<std::uint32_t>(bytes_.size()));
    if (added)
      bytes_ += text + '\0';
    return found->second;
  }
  const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_ = std::string(1, '\0');
  std::map<std::string, std::uint32_t> known_{{"", 0}};
};

/// Sections in the order of the file. The last one with an address is the dynamic segment, on pages of its
/// own, which the loader writes to.
class StubWriter {
public:
  explicit StubWriter(const StubLibrary& stub) : stub_(stub), machine_(*machine_of(stub.machine)) {}

  std::string bytes() {
    for (const std::string& version : versions_of(stub_))
      indices_.emplace(version, static_cast<std::uint16_t>(indices_.size() + 2)); // 1 is that of the file
    add_symbols();
    const std::uint32_t soname = strings_.add(stub_.soname);
    const std::string definitions = version_definitions();
    const std::uint64_t text = add_section(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, traps(), 16);
    for (Elf64_Sym& symbol : symbols_)
      if (symbol.st_name != 0) {
        symbol.st_value += text;
        symbol.st_shndx = 1;
      }
    std::vector<Elf64_Dyn> dynamic{{DT_SONAME, {soname}}};
    add(dynamic, DT_HASH, add_section(".hash", SHT_HASH, SHF_ALLOC, hash_table(), 8, 3, 0, 4));
    add(dynamic, DT_SYMTAB,
        add_section(".dynsym", SHT_DYNSYM, SHF_ALLOC, bytes_of(symbols_), 8, 4, 1, sizeof(Elf64_Sym)));
    add(dynamic, DT_STRTAB, add_section(".dynstr", SHT_STRTAB, SHF_ALLOC, strings_.bytes(), 1));
    add(dynamic, DT_STRSZ, strings_.bytes().size());
    add(dynamic, DT_SYMENT, sizeof(Elf64_Sym));
    if (!indices_.empty()) {
      const auto count = static_cast<std::uint32_t>(indices_.size() + 1);
      add(dynamic, DT_VERSYM,
          add_section(".gnu.version", SHT_GNU_versym, SHF_ALLOC, bytes_of(symbol_versions_), 2, 3, 0, 2));
      add(dynamic, DT_VERDEF,
          add_section(".gnu.version_d", SHT_GNU_verdef, SHF_ALLOC, definitions, 8, 4, count));
      add(dynamic, DT_VERDEFNUM, count);
    }
    add(dynamic, DT_NULL, 0);
    address_ = page;
    read_only_ = align(file_, 8);
    add_section(".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, bytes_of(dynamic), 8, 4, 0,
                sizeof(Elf64_Dyn));
    return finished();
  }

private:
  static std::size_t align(std::string& bytes, std::size_t to) {
    bytes.resize((bytes.size() + to - 1) / to * to);
    return bytes.size();
  }

  static void add(std::vector<Elf64_Dyn>& dynamic, std::int64_t tag, std::uint64_t value) {
    dynamic.push_back({tag, {value}});
  }

  void add_symbols() {
    for (const auto& [name, versions] : stub_.functions) {
      if (versions.empty())
        add_symbol(name, VER_NDX_GLOBAL);
      for (auto version = versions.begin(); version != versions.end(); ++version) {
        const bool is_default = std::next(version) == versions.end();
        add_symbol(name, static_cast<std::uint16_t>(indices_.at(*version) |
                                                    (is_default ? std::uint16_t{0} : hidden)));
      }
    }
  }

  void add_symbol(const std::string& name, std::uint16_t version) {
    Elf64_Sym symbol{};
    symbol.st_name = strings_.add(name);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_value = (symbols_.size() - 1) * sizeof machine_.trap; // in the section
    symbol.st_size = sizeof machine_.trap;
    symbols_.push_back(symbol);
    symbol_versions_.push_back(version);
    hashes_.push_back(elf_hash(name));
  }

  std::string traps() const {
    const std::size_t count = std::max<std::size_t>(symbols_.size() - 1, 1);
    return bytes_of(std::vector<std::uint32_t>(count, machine_.trap));
  }

  /// The file itself, then each version, all with one name.
  std::string version_definitions() {
    std::string bytes;
    const auto define = [&](const std::string& name, std::uint16_t flags, std::uint16_t index, bool last) {
      Elf64_Verdef definition{};
      definition.vd_version = VER_DEF_CURRENT;
      definition.vd_flags = flags;
      definition.vd_ndx = index;
      definition.vd_cnt = 1;
      definition.vd_hash = elf_hash(name);
      definition.vd_aux = sizeof definition;
      definition.vd_next = last ? 0 : sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux);
      bytes += bytes_of(definition) + bytes_of(Elf64_Verdaux{strings_.add(name), 0});
    };
    define(stub_.soname, VER_FLG_BASE, 1, indices_.empty());
    for (const auto& [name, index] : indices_)
      define(name, 0, index, index == indices_.size() + 1);
    return bytes;
  }

  std::string hash_table() const {
    const std::size_t buckets = hashes_.size();
    std::vector<std::uint32_t> table(2 + buckets + hashes_.size());
    table[0] = static_cast<std::uint32_t>(buckets);
    table[1] = static_cast<std::uint32_t>(hashes_.size());
    for (std::size_t index = 1; index < hashes_.size(); ++index) {
      std::uint32_t& first = table[2 + hashes_[index] % buckets];
      table[2 + buckets + index] = std::exchange(first, static_cast<std::uint32_t>(index));
    }
    return bytes_of(table);
  }

  /// Returns the address.
  std::uint64_t add_section(const char* name, std::uint32_t type, std::uint64_t flags,
                            const std::string& content, std::uint64_t alignment, std::uint32_t link = 0,
                            std::uint32_t info = 0, std::uint64_t entry_size = 0) {
    Elf64_Shdr section{};
    section.sh_name = names_.add(name);
    section.sh_type = type;
    section.sh_flags = flags;
    section.sh_offset = align(file_, alignment);
    section.sh_addr = (flags & SHF_ALLOC) != 0 ? address_ + section.sh_offset : 0;
    section.sh_size = content.size();
    section.sh_link = link;
    section.sh_info = info;
    section.sh_addralign = alignment;
    section.sh_entsize = entry_size;
    file_ += content;
    sections_.push_back(section);
    return section.sh_addr;
  }

  std::vector<Elf64_Phdr> segments() const {
    const Elf64_Shdr& dynamic = sections_.back();
    const auto segment = [](std::uint32_t type, std::uint32_t flags, std::uint64_t offset,
                            std::uint64_t address, std::uint64_t size, std::uint64_t alignment) {
      return Elf64_Phdr{type, flags, offset, address, address, size, size, alignment};
    };
    return {segment(PT_LOAD, PF_R | PF_X, 0, 0, read_only_, page),
            segment(PT_LOAD, PF_R | PF_W, dynamic.sh_offset, dynamic.sh_addr, dynamic.sh_size, page),
            segment(PT_DYNAMIC, PF_R | PF_W, dynamic.sh_offset, dynamic.sh_addr, dynamic.sh_size, 8),
            segment(PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 16)};
  }

  std::string finished() {
    const std::vector<Elf64_Phdr> programs = segments();
    add_section(".shstrtab", SHT_STRTAB, 0, (names_.add(".shstrtab"), names_.bytes()), 1);
    Elf64_Ehdr header{};
    const std::string_view magic(ELFMAG, SELFMAG);
    std::copy(magic.begin(), magic.end(), header.e_ident);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = machine_.number;
    header.e_version = EV_CURRENT;
    header.e_phoff = sizeof header;
    header.e_shoff = align(file_, 8);
    header.e_flags = machine_.flags;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<std::uint16_t>(programs.size());
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<std::uint16_t>(sections_.size());
    header.e_shstrndx = static_cast<std::uint16_t>(sections_.size() - 1);
    file_ += bytes_of(sections_);
    const std::string head = bytes_of(header) + bytes_of(programs);
    return file_.replace(0, head.size(), head);
  }

  const StubLibrary& stub_;
  const Machine& machine_;
  std::map<std::string, std::uint16_t> indices_; ///< of versions
  StringTable strings_, names_;
  std::vector<Elf64_Sym> symbols_{Elf64_Sym{}};
  std::vector<std::uint16_t> symbol_versions_{VER_NDX_LOCAL};
  std::vector<std::uint32_t> hashes_{0};
  std::vector<Elf64_Shdr> sections_{Elf64_Shdr{}};
  std::string file_ = std::string(sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Phdr), '\0');
  std::uint64_t address_ = 0;   ///< of the file's first byte
  std::uint64_t read_only_ = 0; ///< bytes before the dynamic segment
};

} // namespace

bool has_stubs(std::uint16_t machine) {
  return machine_of(machine) != nullptr;
}

std::size_t version_count(const StubLibrary& stub) {
  return versions_of(stub).size();
}

std::string stub_bytes(const StubLibrary& stub) {
  return StubWriter(stub).bytes();
}

} // namespace hostpin::binary
