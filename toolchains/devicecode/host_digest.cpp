// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/host_digest.hpp"

#include "toolchains/base/checksum.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin::devicecode {

using namespace binary;

namespace {

constexpr auto names_of_parts =
    std::to_array<const char*>({"format", "sections", "text", "module ids", "symbols", "code"});
static_assert(names_of_parts.size() == HostDigest::parts);

bool is_device(std::string_view name) {
  return name == ".nv_fatbin" || name == "__nv_relfatbin";
}

std::uint64_t sum_of(std::initializer_list<std::uint64_t> numbers, std::string_view name) {
  std::uint64_t sum = checksum(name);
  for (const std::uint64_t number : numbers)
    sum = checksum({reinterpret_cast<const char*>(&number), sizeof number}, sum);
  return sum;
}

/// Calls `take` for pieces of a part of the file; false if it cannot be read.
template <typename Take>
bool each_piece(const Bytes& file, std::uint64_t offset, std::uint64_t size, const Take& take) {
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t count = std::min<std::uint64_t>(size - done, Bytes::view_limit);
    const auto piece = file.view(offset + done, count);
    if (!piece)
      return false;
    take(*piece);
    done += count;
  }
  return true;
}

/// Sums up the strings among other data. The bytes of an address or of an offset below 2^32 have at most four
/// printable ones before a zero.
class Strings {
public:
  void take(std::string_view piece) {
    for (const char each : piece)
      if ((each >= ' ' && each <= '~') || each == '\n' || each == '\t') {
        run_ += each;
        if (run_.size() == longest)
          end();
      } else {
        if (each == '\0' && run_.size() >= shortest)
          end();
        run_.clear();
      }
  }
  std::uint64_t sum() const { return sum_; }

private:
  static constexpr std::size_t shortest = 5, longest = 65536;

  void end() {
    sum_ = checksum(run_, sum_);
    run_.clear();
  }

  std::string run_;
  std::uint64_t sum_ = 0;
};

class HostReader {
public:
  HostReader(const Bytes& file, const ElfHeaders& headers) : file_(file), headers_(headers) {}

  Reading<HostDigest> read() {
    digest_.sums[HostDigest::format] =
        sum_of({headers_.file.e_type, headers_.file.e_machine, headers_.file.e_flags}, {});
    for (const Elf64_Shdr& section : headers_.sections)
      if (!take(section))
        return damaged("its sections cannot be read");
    return digest_;
  }

private:
  // Sums are added, so that the order of sections does not matter: patchelf changes it.
  void add(HostDigest::Part part, std::uint64_t sum) { digest_.sums[part] += sum; }

  std::optional<std::uint64_t> bytes_of(const Elf64_Shdr& section) const {
    std::uint64_t sum = 0;
    if (!each_piece(file_, section.sh_offset, section.sh_size,
                    [&](std::string_view piece) { sum = checksum(piece, sum); }))
      return std::nullopt;
    return sum;
  }

  bool add_bytes(HostDigest::Part part, const Elf64_Shdr& section, std::string_view name) {
    const auto sum = bytes_of(section);
    if (sum)
      add(part, sum_of({*sum}, name));
    return sum.has_value();
  }

  bool add_strings(const Elf64_Shdr& section, std::string_view name) {
    Strings strings;
    const bool whole = each_piece(file_, section.sh_offset, section.sh_size,
                                  [&](std::string_view piece) { strings.take(piece); });
    add(HostDigest::text, sum_of({strings.sum()}, name));
    return whole;
  }

  /// Sections with content of the program's own. What a linker makes of it, such as hashes, version needs and
  /// notes, depends on addresses, or may be edited later.
  static bool is_content(const Elf64_Shdr& section) {
    constexpr auto types = std::to_array<std::uint32_t>(
        {SHT_PROGBITS, SHT_NOBITS, SHT_INIT_ARRAY, SHT_FINI_ARRAY, SHT_PREINIT_ARRAY, SHT_X86_64_UNWIND});
    return (section.sh_flags & SHF_ALLOC) != 0 &&
           std::find(types.begin(), types.end(), section.sh_type) != types.end();
  }

  /// What fills the last page of PT_GNU_RELRO, in files of mold and of lld 18 and later, depends on
  /// addresses.
  static bool is_padding(const Elf64_Shdr& section, std::string_view name) {
    return section.sh_type == SHT_NOBITS && name == ".relro_padding";
  }

  bool take(const Elf64_Shdr& section) {
    if (section.sh_type == (headers_.is_linked() ? SHT_DYNSYM : SHT_SYMTAB))
      return take_symbols(section);
    const std::string_view name = headers_.name(section);
    if (!headers_.is_linked() && (section.sh_type == SHT_RELA || section.sh_type == SHT_REL))
      return take_relocations(section, name);
    return !is_content(section) || is_device(name) || is_padding(section, name) || name == ".interp" ||
           take_content(section, name);
  }

  bool take_relocations(const Elf64_Shdr& section, std::string_view name) {
    const bool loaded = section.sh_info < headers_.sections.size() &&
                        (headers_.sections[section.sh_info].sh_flags & SHF_ALLOC) != 0;
    return !loaded || add_bytes(HostDigest::code, section, name);
  }

  bool take_content(const Elf64_Shdr& section, std::string_view name) {
    add(HostDigest::sections, sum_of({section.sh_type, section.sh_flags, section.sh_size}, name));
    if (section.sh_type == SHT_NOBITS || name == ".nvFatBinSegment") // which holds addresses only
      return true;
    if (name == "__nv_module_id")
      return add_bytes(HostDigest::modules, section, name);
    const bool is_code = (section.sh_flags & SHF_EXECINSTR) != 0;
    if (!headers_.is_linked())
      return add_bytes(is_code ? HostDigest::code : HostDigest::text, section, name);
    return is_code || add_strings(section, name);
  }

  std::optional<std::string> content_of(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_size > file_.size())
      return std::nullopt;
    std::string content(static_cast<std::size_t>(section.sh_size), '\0');
    return file_.read(section.sh_offset, content.data(), content.size()) ? std::optional(std::move(content))
                                                                         : std::nullopt;
  }

  bool take_symbols(const Elf64_Shdr& table) {
    if (table.sh_link >= headers_.sections.size())
      return false;
    const auto names = content_of(headers_.sections[table.sh_link]), symbols = content_of(table);
    if (!names || !symbols)
      return false;
    Elf64_Sym symbol;
    for (std::size_t at = sizeof symbol; at + sizeof symbol <= symbols->size(); at += sizeof symbol) {
      std::memcpy(&symbol, symbols->data() + at, sizeof symbol);
      if (symbol.st_name >= names->size())
        return false;
      const std::string_view rest = std::string_view(*names).substr(symbol.st_name);
      take_symbol(symbol, rest.substr(0, rest.find('\0')));
    }
    return true;
  }

  /// The name of a FILE symbol is that of a temporary file.
  void take_symbol(const Elf64_Sym& symbol, std::string_view name) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_FILE || type == STT_SECTION)
      return;
    const bool defined = symbol.st_shndx != SHN_UNDEF;
    const std::uint64_t value = headers_.is_linked() ? 0 : symbol.st_value;
    add(HostDigest::symbols,
        sum_of({symbol.st_info, symbol.st_other, defined ? 1U : 0U, symbol.st_size, value}, name));
  }

  const Bytes& file_;
  const ElfHeaders& headers_;
  HostDigest digest_;
};

} // namespace

Reading<HostDigest> host_digest(const Bytes& file, const ElfHeaders& headers) {
  return HostReader(file, headers).read();
}

std::string differences(const HostDigest& one, const HostDigest& other) {
  std::string text;
  for (std::size_t part = 0; part < HostDigest::parts; ++part)
    if (one.sums[part] != other.sums[part])
      text.append(text.empty() ? "" : ", ").append(names_of_parts[part]);
  return text;
}

} // namespace hostpin::devicecode
