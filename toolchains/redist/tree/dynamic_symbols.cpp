// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/dynamic_symbols.hpp"

#include "toolchains/binary/elf_headers.hpp"

#include <algorithm>
#include <array>
#include <elf.h>
#include <map>
#include <optional>
#include <utility>

namespace hostpin::redist {

namespace {

using binary::Bytes;
using binary::read_structure;

constexpr std::size_t longest_name = 4096;
constexpr std::size_t longest_names = std::size_t{64} << 20U;
constexpr unsigned most_versions = 65536;
constexpr std::uint16_t version_bits = 0x7fff; ///< the other one hides a version

struct LibraryVersion {
  std::string library, version;
};

class Reader {
public:
  Reader(const Bytes& file, const binary::ElfHeaders& headers) : file_(file), headers_(headers) {}

  Result<DynamicSymbols> read() {
    DynamicSymbols symbols;
    symbols.machine = headers_.file.e_machine;
    const auto table = headers_.dynamic(DT_SYMTAB);
    if (!table || headers_.dynamics.empty())
      return symbols;
    const auto at = headers_.offset_of(*table, sizeof(Elf64_Sym));
    if (!at || !read_strings() || !read_needs() || !read_definitions())
      return failure("has a damaged dynamic segment");
    const auto versions = headers_.dynamic(DT_VERSYM);
    const std::uint64_t count = number_of_symbols(*table);
    for (std::uint64_t index = 1; index < count; ++index) {
      const auto symbol = read_structure<Elf64_Sym>(file_, *at + index * sizeof(Elf64_Sym));
      if (!symbol)
        return failure("has dynamic symbols past its end");
      if (!add(*symbol, versions ? version_of(*versions, index) : VER_NDX_GLOBAL, symbols))
        return failure("has dynamic symbols whose names are damaged");
    }
    return symbols;
  }

private:
  bool read_strings() {
    const auto address = headers_.dynamic(DT_STRTAB);
    const auto size = headers_.dynamic(DT_STRSZ);
    const auto at = address && size ? headers_.offset_of(*address, *size) : std::nullopt;
    if (!at || *size > longest_names)
      return false;
    strings_.resize(static_cast<std::size_t>(*size));
    return file_.read(*at, strings_.data(), strings_.size());
  }

  /// Nothing if it is empty, too, as no name is.
  std::optional<std::string> string(std::uint64_t index) {
    const std::size_t end =
        index < strings_.size() ? strings_.find('\0', static_cast<std::size_t>(index)) : std::string::npos;
    if (end == std::string::npos || end == index || end - index > longest_name ||
        (used_ += end - index) > longest_names)
      return std::nullopt;
    return strings_.substr(static_cast<std::size_t>(index), end - static_cast<std::size_t>(index));
  }

  /// The section's number; without sections, strings follow the symbols, as every linker writes them.
  std::uint64_t number_of_symbols(std::uint64_t table) const {
    for (const Elf64_Shdr& section : headers_.sections)
      if (section.sh_type == SHT_DYNSYM)
        return std::min(section.sh_size, file_.size()) / sizeof(Elf64_Sym);
    const std::uint64_t strings = headers_.dynamic(DT_STRTAB).value_or(0);
    return strings > table ? std::min(strings - table, file_.size()) / sizeof(Elf64_Sym) : 0;
  }

  bool read_needs() {
    const auto address = headers_.dynamic(DT_VERNEED);
    if (!address)
      return true;
    auto at = headers_.offset_of(*address, sizeof(Elf64_Verneed));
    for (unsigned records = 0; at && records < most_versions; ++records) {
      const auto need = read_structure<Elf64_Verneed>(file_, *at);
      const auto library = need ? string(need->vn_file) : std::nullopt;
      if (!library || !read_versions(*at + need->vn_aux, need->vn_cnt, *library))
        return false;
      if (need->vn_next == 0)
        return true;
      *at += need->vn_next;
    }
    return false;
  }

  bool read_versions(std::uint64_t at, unsigned count, const std::string& library) {
    for (unsigned left = count; left > 0 && needs_.size() <= most_versions; --left) {
      const auto version = read_structure<Elf64_Vernaux>(file_, at);
      auto name = version ? string(version->vna_name) : std::nullopt;
      if (!name)
        return false;
      needs_[version->vna_other & version_bits] = {library, *std::move(name)};
      if (version->vna_next == 0)
        return true;
      at += version->vna_next;
    }
    return needs_.size() <= most_versions;
  }

  /// The names of the library's own versions; the first record is that of the library itself.
  bool read_definitions() {
    const auto address = headers_.dynamic(DT_VERDEF);
    if (!address)
      return true;
    auto at = headers_.offset_of(*address, sizeof(Elf64_Verdef));
    for (unsigned records = 0; at && records < most_versions; ++records) {
      const auto definition = read_structure<Elf64_Verdef>(file_, *at);
      const auto first =
          definition ? read_structure<Elf64_Verdaux>(file_, *at + definition->vd_aux) : std::nullopt;
      auto name = first ? string(first->vda_name) : std::nullopt;
      if (!name)
        return false;
      if ((definition->vd_flags & VER_FLG_BASE) == 0)
        definitions_[definition->vd_ndx & version_bits] = *std::move(name);
      if (definition->vd_next == 0)
        return true;
      *at += definition->vd_next;
    }
    return false;
  }

  void add_exported(const Elf64_Sym& symbol, unsigned version, const std::string& name,
                    DynamicSymbols& symbols) const {
    constexpr std::array<std::string_view, 5> of_linkers{"_init", "_fini", "_edata", "_end", "__bss_start"};
    const auto found = definitions_.find(version);
    const bool is_version =
        symbol.st_shndx == SHN_ABS && found != definitions_.end() && found->second == name;
    if (version == VER_NDX_LOCAL || is_version || std::ranges::find(of_linkers, name) != of_linkers.end())
      return;
    symbols.exported.insert(found == definitions_.end() ? name : name + '@' + found->second);
  }

  unsigned version_of(std::uint64_t versions, std::uint64_t index) const {
    const auto at = headers_.offset_of(versions + index * sizeof(Elf64_Versym), sizeof(Elf64_Versym));
    const auto version = at ? read_structure<Elf64_Versym>(file_, *at) : std::nullopt;
    return version.value_or(0) & version_bits;
  }

  bool add(const Elf64_Sym& symbol, unsigned version, DynamicSymbols& symbols) {
    const unsigned binding = ELF64_ST_BIND(symbol.st_info);
    const bool is_defined = symbol.st_shndx != SHN_UNDEF;
    if (binding == STB_LOCAL || symbol.st_name == 0 ||
        (!is_defined && (binding == STB_WEAK || ELF64_ST_TYPE(symbol.st_info) == STT_TLS)))
      return true;
    auto name = string(symbol.st_name);
    if (!name)
      return false;
    const auto need = needs_.find(version);
    if (is_defined) {
      add_exported(symbol, version, *name, symbols);
      symbols.defined.insert(*std::move(name));
    } else if (need == needs_.end())
      symbols.undefined.insert({*std::move(name), {}, {}});
    else
      symbols.undefined.insert({*std::move(name), need->second.library, need->second.version});
    return true;
  }

  const Bytes& file_;
  const binary::ElfHeaders& headers_;
  std::string strings_;
  std::size_t used_ = 0; ///< bytes of names so far
  std::map<unsigned, LibraryVersion> needs_;
  std::map<unsigned, std::string> definitions_;
};

} // namespace

Result<DynamicSymbols> read_dynamic_symbols(std::string_view bytes) {
  const binary::InputFile input(bytes);
  const Bytes file(input);
  const auto headers = binary::read_elf_headers(file);
  if (!headers)
    return failure(headers.error().what);
  if (!*headers)
    return failure("is not an ELF file of the 64-bit class and little-endian byte order");
  return Reader(file, **headers).read();
}

} // namespace hostpin::redist
