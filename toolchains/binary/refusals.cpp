// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/refusals.hpp"

#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/elf.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin::binary {

namespace {

// Messages of glibc 2.36 and its sources; README.md of toolchains/loader has them as a table.
constexpr std::string_view fault = "Segmentation fault";
constexpr std::string_view assertion = "Inconsistency detected by ld.so";
constexpr std::array checks = {
    LoaderCheck{Refusal::ident_version, "ELF file version ident does not match current one",
                "has an ELF header of an unknown version"},
    LoaderCheck{Refusal::os_abi, "ELF file OS ABI invalid", "is for the ABI of another operating system"},
    LoaderCheck{Refusal::abi_version, "ELF file ABI version invalid",
                "has a version of the ABI that the loader does not know"},
    LoaderCheck{Refusal::ident_padding, "nonzero padding in e_ident",
                "has an ELF header whose padding is not zero"},
    LoaderCheck{Refusal::header_version, "ELF file version does not match current one",
                "has an ELF header of an unknown version"},
    LoaderCheck{Refusal::header_size, "ELF file's phentsize not the expected size",
                "has program headers of a wrong size"},
    LoaderCheck{Refusal::headers_outside, "cannot read file data", "is cut before its program headers end"},
    LoaderCheck{Refusal::misaligned_segment, "ELF load command address/offset not page-aligned",
                "has a segment that is not aligned to pages"},
    LoaderCheck{Refusal::small_alignment, "ELF load command alignment not page-aligned",
                "has a segment whose alignment is less than a page", 0, 34},
    LoaderCheck{Refusal::misplaced_segment, "ELF load command address/offset not properly aligned",
                "has a segment whose address and offset differ by no multiple of its alignment", 0, 34},
    LoaderCheck{Refusal::no_segments, "object file has no loadable segments", "has no segment to load"},
    LoaderCheck{Refusal::fixed_address, "cannot dynamically load executable",
                "is a program at a fixed address", 0, 0, true},
    LoaderCheck{Refusal::no_dynamic_section, "object file has no dynamic section", "has no dynamic section"},
    LoaderCheck{Refusal::unordered_segments, "failed to map segment from shared object",
                "has segments out of order, or larger than the address space"},
    LoaderCheck{Refusal::segment_outside, "Bus error", "is cut before its last segment ends"},
    LoaderCheck{Refusal::dynamic_section_outside, fault, "has its dynamic section outside its segments"},
    LoaderCheck{Refusal::read_only_dynamic_section, fault,
                "has a dynamic section in a segment that cannot be written", 0, 34},
    LoaderCheck{Refusal::protected_dynamic_section, fault,
                "has a dynamic section that should be writable, in a segment that is not"},
    LoaderCheck{Refusal::no_strings, fault, "has no string table"},
    LoaderCheck{Refusal::missing_table, fault, "lacks a table, or a size, that goes with another one"},
    LoaderCheck{Refusal::relocation_kind, assertion,
                "has relocations of functions of a kind that its machine does not have"},
    LoaderCheck{Refusal::relocation_size, assertion, "has relocations of a wrong size"},
    LoaderCheck{Refusal::packed_relocation_size, assertion, "has packed relocations of a wrong size", 36},
    LoaderCheck{Refusal::table_outside, fault, "has a table of the loader outside its segments"},
    LoaderCheck{Refusal::hash_table, assertion, "has a damaged hash table"},
    LoaderCheck{Refusal::not_for_opening, "shared object cannot be dlopen()ed", "was linked with -z nodlopen",
                0, 0, true},
    LoaderCheck{Refusal::program, "cannot dynamically load position-independent executable", "is a program",
                30, 0, true},
    LoaderCheck{Refusal::executable_stack, "cannot enable executable stack as shared object requires",
                "requests an executable stack", 41, 0, true},
    LoaderCheck{Refusal::needs_version, "unsupported version of Verneed record",
                "has version needs of an unknown format"},
    LoaderCheck{Refusal::no_version_symbols, fault, "has symbol versions without their table of symbols"},
    LoaderCheck{Refusal::packed_relocations, "DT_RELR without GLIBC_ABI_DT_RELR dependency",
                "has packed relocations and does not need GLIBC_ABI_DT_RELR", 36},
    LoaderCheck{Refusal::relro_outside, "cannot apply additional memory protection after relocation",
                "has a part to protect outside its segments"},
    LoaderCheck{Refusal::static_tls, "cannot allocate memory in static TLS block",
                "has more thread-local variables of static TLS than the loader reserves", 0, 0, true},
};
static_assert(checks.size() == static_cast<std::size_t>(Refusal::static_tls) + 1);
static_assert([] {
  for (std::size_t i = 0; i < checks.size(); ++i)
    if (static_cast<std::size_t>(checks[i].refusal) != i)
      return false;
  return true;
}());

constexpr std::uint64_t page = 4096; // the smallest of all machines
/// Bytes of static TLS for libraries that are opened: 1664 by default before glibc 2.32, about as many since.
constexpr std::uint64_t reserved_tls = 1664;
constexpr std::uint64_t address_space = std::uint64_t{1} << 48U;
constexpr std::uint64_t most_headers = 65535, most_dynamic = 65536; // entries

struct Segment {
  std::uint64_t type = 0, flags = 0, offset = 0, address = 0, file_size = 0, size = 0, alignment = 0;

  std::uint64_t end() const { return address + size; }
  bool holds(std::uint64_t from, std::uint64_t count) const {
    return from >= address && from - address <= size && count <= size - (from - address);
  }
};

/// The value of one tag of the dynamic section, the last one as in glibc.
struct Entry {
  std::uint64_t value = 0;
  bool is_there = false;
};

/// A table that the loader reads: the tags of its address and of its size, if it has one, and the number of
/// bytes that it reads at least.
struct Table {
  std::size_t address, size;
  std::uint64_t least;
};

/// Tags in the order of `Dynamic::entries`: the only ones that the checks use.
enum Tag : std::size_t {
  strings,
  symbols,
  hash,
  gnu_hash,
  rela,
  rela_size,
  rela_entry,
  rel,
  rel_size,
  rel_entry,
  relr,
  relr_size,
  relr_entry,
  plt,
  plt_size,
  plt_kind,
  init_array,
  init_array_size,
  version_symbols,
  needs_table,
  definitions,
  flags,
  flags_1,
  tag_count,
  no_tag = tag_count,
};

constexpr std::uint64_t dt_relr_size = 35, dt_relr = 36, dt_relr_entry = 37; // not in elf.h before glibc 2.36

std::size_t index_of(std::uint64_t tag) {
  switch (tag) {
  case DT_STRTAB:
    return strings;
  case DT_SYMTAB:
    return symbols;
  case DT_HASH:
    return hash;
  case DT_GNU_HASH:
    return gnu_hash;
  case DT_RELA:
    return rela;
  case DT_RELASZ:
    return rela_size;
  case DT_RELAENT:
    return rela_entry;
  case DT_REL:
    return rel;
  case DT_RELSZ:
    return rel_size;
  case DT_RELENT:
    return rel_entry;
  case dt_relr:
    return relr;
  case dt_relr_size:
    return relr_size;
  case dt_relr_entry:
    return relr_entry;
  case DT_JMPREL:
    return plt;
  case DT_PLTRELSZ:
    return plt_size;
  case DT_PLTREL:
    return plt_kind;
  case DT_INIT_ARRAY:
    return init_array;
  case DT_INIT_ARRAYSZ:
    return init_array_size;
  case DT_VERSYM:
    return version_symbols;
  case DT_VERNEED:
    return needs_table;
  case DT_VERDEF:
    return definitions;
  case DT_FLAGS:
    return flags;
  case DT_FLAGS_1:
    return flags_1;
  default:
    return no_tag;
  }
}

class Checks {
public:
  Checks(const ElfBytes& file, const std::vector<VersionNeed>& needs) : file_(file), needs_(needs) {}

  std::vector<Refusal> all() {
    machine_ = static_cast<std::uint16_t>(file_.number(18, 2).value_or(0));
    type_ = static_cast<std::uint16_t>(file_.number(16, 2).value_or(0));
    if (!is_of_glibc() || (type_ != ET_DYN && type_ != ET_EXEC))
      return {};
    check_header();
    if (read_segments()) {
      check_segments();
      if (dynamic_ && read_dynamic())
        check_dynamic();
      check_stack();
    } else {
      add(Refusal::headers_outside);
    }
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

private:
  void add(Refusal refusal) {
    if (std::find(found_.begin(), found_.end(), refusal) == found_.end())
      found_.push_back(refusal);
  }
  void add_if(bool is_refused, Refusal refusal) {
    if (is_refused)
      add(refusal);
  }

  bool is_of_glibc() const {
    constexpr std::uint16_t riscv = 243, loongarch = 258; // not in every elf.h
    constexpr std::array machines = {std::uint16_t{EM_386},
                                     std::uint16_t{EM_X86_64},
                                     std::uint16_t{EM_AARCH64},
                                     std::uint16_t{EM_ARM},
                                     std::uint16_t{EM_PPC64},
                                     std::uint16_t{EM_S390},
                                     riscv,
                                     loongarch};
    return std::find(machines.begin(), machines.end(), machine_) != machines.end();
  }

  void check_header() {
    const auto ident = file_.slice(0, EI_NIDENT);
    if (!ident)
      return;
    const auto at = [&](std::size_t index) { return static_cast<unsigned char>((*ident)[index]); };
    constexpr unsigned char newest_of_gnu = 3; // LIBC_ABI_MAX of glibc 2.28 and newer
    add_if(at(EI_VERSION) != EV_CURRENT, Refusal::ident_version);
    const unsigned char abi = at(EI_OSABI);
    const bool is_known = abi == ELFOSABI_SYSV || abi == ELFOSABI_GNU || machine_ == EM_ARM;
    add_if(!is_known, Refusal::os_abi);
    add_if(is_known && at(EI_ABIVERSION) > (abi == ELFOSABI_SYSV ? 0 : newest_of_gnu), Refusal::abi_version);
    add_if(std::any_of(ident->begin() + EI_PAD, ident->end(), [](char byte) { return byte != 0; }),
           Refusal::ident_padding);
    add_if(file_.number(20, 4) != std::uint64_t{EV_CURRENT}, Refusal::header_version);
  }

  /// False if they are not in the file.
  bool read_segments() {
    const bool wide = file_.wide();
    const std::uint64_t size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    const auto at = file_.word(wide ? 32 : 28);
    const auto entry = file_.number(wide ? 54 : 42, 2);
    const auto count = file_.number(wide ? 56 : 44, 2);
    if (!at || !entry || !count)
      return false;
    add_if(*entry != size, Refusal::header_size);
    const auto bytes = file_.slice(*at, *count * size);
    if (!bytes || *count > most_headers)
      return false;
    const ElfBytes table(*bytes, wide, file_.little());
    for (std::uint64_t i = 0; i < *count; ++i)
      read_segment(table, i * size);
    return true;
  }

  void read_segment(const ElfBytes& table, std::uint64_t at) {
    const bool wide = table.wide();
    const std::uint64_t type = table.number(at, 4).value_or(0);
    if (type == PT_INTERP)
      has_interpreter_ = true;
    if (type != PT_LOAD && type != PT_DYNAMIC && type != PT_TLS && type != PT_GNU_STACK &&
        type != PT_GNU_RELRO)
      return;
    const auto word = [&](std::uint64_t of_wide, std::uint64_t of_narrow) {
      return table.word(at + (wide ? of_wide : of_narrow)).value_or(0);
    };
    Segment one;
    one.type = type;
    one.flags = table.number(at + (wide ? 4 : 24), 4).value_or(0);
    if (type == PT_GNU_STACK) {
      stack_ = one;
      return;
    }
    one.offset = word(8, 4);
    one.address = word(16, 8);
    one.file_size = word(32, 16);
    one.size = word(40, 20);
    one.alignment = word(48, 28);
    if (type == PT_LOAD)
      loaded_.push_back(one);
    else if (type == PT_GNU_RELRO)
      relro_ = one;
    else if (type == PT_TLS)
      tls_ = one.size;
    else if (one.file_size > 0) // as only the debug information of a file has it
      dynamic_ = one;
  }

  void check_segments() {
    add_if(loaded_.empty(), Refusal::no_segments);
    for (const Segment& one : loaded_)
      check_segment(one);
    add_if(!dynamic_ && type_ == ET_DYN, Refusal::no_dynamic_section);
    add_if(type_ == ET_EXEC, Refusal::fixed_address);
    if (loaded_.empty())
      return;
    const std::uint64_t begin = loaded_.front().address / page * page, end = loaded_.back().end();
    add_if(end <= begin || end - begin > address_space, Refusal::unordered_segments);
    // What is between segments is mapped without access.
    add_if(relro_ && relro_->end() / page * page > (end + page - 1) / page * page, Refusal::relro_outside);
  }

  void check_segment(const Segment& one) {
    const std::uint64_t apart = one.address - one.offset;
    if (apart % page != 0)
      add(Refusal::misaligned_segment);
    else if (one.alignment % page != 0)
      add(Refusal::small_alignment);
    else
      add_if((apart & (one.alignment - 1)) != 0, Refusal::misplaced_segment);
    // Bytes between the end of the file and of its last page are zero.
    if (one.file_size > 0 && !file_.slice(one.offset + one.file_size, 0))
      add_if(!file_.slice((one.offset + one.file_size - 1) / page * page, 1), Refusal::segment_outside);
  }

  const Segment* holding(std::uint64_t address, std::uint64_t count) const {
    const auto found = std::find_if(loaded_.begin(), loaded_.end(), [&](const Segment& one) {
      Segment mapped = one;
      mapped.size = mapped_end(one) - one.address;
      return mapped.holds(address, count);
    });
    return found == loaded_.end() ? nullptr : &*found;
  }

  /// The last page of a segment is mapped whole: bytes of the file follow the segment there, unless the
  /// segment ends with zeros or the next one begins in that page.
  std::uint64_t mapped_end(const Segment& segment) const {
    if (segment.size != segment.file_size || segment.size == 0)
      return segment.end();
    std::uint64_t end = (segment.end() + page - 1) / page * page;
    for (const Segment& other : loaded_)
      if (other.address > segment.address)
        end = std::min(end, std::max(segment.end(), other.address / page * page));
    return end;
  }

  /// The bytes at an address; nothing if they are not of the file.
  std::optional<ElfBytes> bytes_at(std::uint64_t address, std::uint64_t count) const {
    const Segment* const one = holding(address, count);
    const auto bytes =
        one != nullptr ? file_.slice(one->offset + (address - one->address), count) : std::nullopt;
    return bytes ? std::optional(ElfBytes(*bytes, file_.wide(), file_.little())) : std::nullopt;
  }

  /// False if the loader does not get to read it.
  bool read_dynamic() {
    const std::uint64_t half = file_.wide() ? 8 : 4;
    const Segment* const one = holding(dynamic_->address, 2 * half);
    if (one == nullptr) {
      add(Refusal::dynamic_section_outside);
      return false;
    }
    constexpr std::uint16_t riscv = 243; // whose loader never writes it
    if ((one->flags & PF_W) == 0 && machine_ != riscv)
      add((dynamic_->flags & PF_W) == 0 ? Refusal::read_only_dynamic_section
                                        : Refusal::protected_dynamic_section);
    const std::uint64_t size =
        std::min({dynamic_->size, mapped_end(*one) - dynamic_->address, most_dynamic * half});
    const auto table = bytes_at(dynamic_->address, size);
    if (!table)
      return false;
    for (std::uint64_t at = 0; at + 2 * half <= size; at += 2 * half) {
      const std::uint64_t tag = table->word(at).value_or(0);
      if (tag == DT_NULL)
        break;
      if (const std::size_t index = index_of(tag); index != no_tag)
        entries_[index] = {table->word(at + half).value_or(0), true};
    }
    return true;
  }

  void check_dynamic() {
    add_if(!entries_[strings].is_there, Refusal::no_strings);
    for (const auto& [one, other] :
         {std::pair(rela, symbols), std::pair(rel, symbols), std::pair(rela, rela_size),
          std::pair(rel, rel_size), std::pair(plt_kind, plt), std::pair(plt_kind, plt_size),
          std::pair(plt_kind, symbols), std::pair(init_array, init_array_size)})
      add_if(entries_[one].is_there && !entries_[other].is_there, Refusal::missing_table);
    check_relocations();
    check_tables();
    check_hash();
    check_flags();
    check_versions();
  }

  void check_relocations() {
    const bool wide = file_.wide();
    const bool has_addends = machine_ != EM_386 && machine_ != EM_ARM;
    if (const Entry& kind = entries_[plt_kind]; kind.is_there)
      add_if(kind.value != static_cast<std::uint64_t>(has_addends ? DT_RELA : DT_REL),
             Refusal::relocation_kind);
    const auto has_wrong = [&](Tag table, Tag entry, std::uint64_t size) {
      return entries_[table].is_there && (!entries_[entry].is_there || entries_[entry].value != size);
    };
    add_if(has_addends ? has_wrong(rela, rela_entry, wide ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela))
                       : has_wrong(rel, rel_entry, wide ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel)),
           Refusal::relocation_size);
    add_if(has_wrong(relr, relr_entry, wide ? 8 : 4), Refusal::packed_relocation_size);
  }

  void check_tables() {
    const std::uint64_t word = file_.wide() ? 8 : 4;
    const std::array tables = {
        Table{strings, no_tag, 1},
        Table{symbols, no_tag, word == 8 ? 24U : 16U},
        Table{rela, rela_size, 0},
        Table{rel, rel_size, 0},
        Table{relr, relr_size, 0},
        Table{plt, plt_size, 0},
        Table{hash, no_tag, 8},
        Table{gnu_hash, no_tag, 16},
        Table{version_symbols, no_tag, 2},
        Table{needs_table, no_tag, 16},
        Table{definitions, no_tag, 20},
        Table{init_array, init_array_size, 0},
    };
    for (const Table& table : tables) {
      const Entry& address = entries_[table.address];
      const std::uint64_t size = table.size == no_tag ? table.least : entries_[table.size].value;
      add_if(address.is_there && size > 0 && holding(address.value, size) == nullptr, Refusal::table_outside);
    }
  }

  /// DT_GNU_HASH, by which the loader searches if there is one, else DT_HASH.
  void check_hash() {
    const Entry& gnu = entries_[gnu_hash];
    const Entry& old = entries_[hash];
    const auto head = gnu.is_there   ? bytes_at(gnu.value, 16)
                      : old.is_there ? bytes_at(old.value, 8)
                                     : std::nullopt;
    if (!head)
      return;
    const std::uint64_t buckets = head->number(0, 4).value_or(0);
    if (!gnu.is_there) {
      const std::uint64_t chains = head->number(4, 4).value_or(0);
      add_if(holding(old.value, 8 + 4 * (buckets + chains)) == nullptr, Refusal::table_outside);
      return;
    }
    const std::uint64_t filter = head->number(8, 4).value_or(0);
    add_if(!std::has_single_bit(filter) && filter != 0, Refusal::hash_table);
    const std::uint64_t size = 16 + filter * (file_.wide() ? 8 : 4) + 4 * buckets;
    add_if(holding(gnu.value, size) == nullptr, Refusal::table_outside);
  }

  void check_flags() {
    constexpr std::uint64_t position_independent_program = 0x08000000; // DF_1_PIE
    add_if((entries_[flags_1].value & DF_1_NOOPEN) != 0, Refusal::not_for_opening);
    add_if((entries_[flags_1].value & position_independent_program) != 0, Refusal::program);
    add_if((entries_[flags].value & DF_STATIC_TLS) != 0 && tls_ > reserved_tls, Refusal::static_tls);
  }

  void check_versions() {
    const Entry& table = entries_[needs_table];
    const auto first = table.is_there ? bytes_at(table.value, 16) : std::nullopt;
    add_if(first && first->number(0, 2) != std::uint64_t{1}, Refusal::needs_version);
    add_if((table.is_there || entries_[definitions].is_there) && !entries_[version_symbols].is_there,
           Refusal::no_version_symbols);
    if (!entries_[relr].is_there)
      return;
    for (const VersionNeed& need : needs_)
      if (need.library == "libc.so.6")
        add_if(std::find(need.versions.begin(), need.versions.end(), "GLIBC_ABI_DT_RELR") ==
                   need.versions.end(),
               Refusal::packed_relocations);
  }

  /// PT_GNU_STACK, else the machine's default: glibc's DEFAULT_STACK_PERMS.
  void check_stack() {
    const bool by_default = machine_ == EM_386 || machine_ == EM_ARM || machine_ == EM_X86_64;
    const bool is_executable = stack_ ? (stack_->flags & PF_X) != 0 : by_default;
    add_if(is_executable && !has_interpreter_, Refusal::executable_stack);
  }

  const ElfBytes& file_;
  const std::vector<VersionNeed>& needs_;
  std::uint16_t machine_ = 0, type_ = 0;
  std::vector<Segment> loaded_;
  std::optional<Segment> dynamic_, relro_, stack_;
  bool has_interpreter_ = false;
  std::uint64_t tls_ = 0;
  std::array<Entry, tag_count> entries_{};
  std::vector<Refusal> found_;
};

} // namespace

const LoaderCheck& check_of(Refusal refusal) {
  return checks[static_cast<std::size_t>(refusal)];
}

std::vector<Refusal> refusals(const ElfBytes& file, const std::vector<VersionNeed>& needs) {
  return Checks(file, needs).all();
}

} // namespace hostpin::binary
