// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/fatbin/reader.hpp"

#include "hooks/fatbin/raw.hpp"
#include "hooks/lto-check/bitstream/fatbin.hpp"
#include "hooks/lto-check/bitstream/roles.hpp"
#include "hooks/lto-check/bitstream/sections.hpp"
#include "toolchains/library/elf_bytes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hostpin {

namespace {

constexpr auto kind_names = std::to_array<const char*>(
    {"file", "object", "program", "shared library", "archive", "fatbin", "cubin", "PTX", "LTO-IR"});

constexpr std::string_view elf_magic("\x7f"
                                     "ELF",
                                     4);
constexpr std::size_t longest_source = 4096; ///< PATH_MAX

/// The name of the source that the head holds, if it does.
std::string source_of(const Bytes& bytes, const FatbinEntry& entry) {
  if (entry.name_size == 0 || entry.name_size > longest_source || entry.name_at > entry.header ||
      entry.name_size > entry.header - entry.name_at)
    return {};
  const auto name = bytes.view(entry.at + entry.name_at, entry.name_size);
  return name ? std::string(name->substr(0, name->find('\0'))) : std::string();
}

Reading<bool> read_fatbins(const Bytes& bytes, Holding& holding) {
  std::vector<DeviceCodeHead> heads;
  return each_fatbin(bytes, [&](const std::vector<FatbinEntry>& fatbin) -> Reading<bool> {
    heads.assign(fatbin.begin(), fatbin.end());
    holding.add(heads);
    for (const FatbinEntry& entry : fatbin)
      if (std::string source = source_of(bytes, entry); !source.empty())
        holding.sources.insert(std::move(source));
    return true;
  });
}

/// ET_REL, ET_EXEC, ET_DYN of elf.h; programs are the latter too, and name a loader.
CarrierKind kind_of(const Bytes& elf, bool names_loader) {
  const std::string_view head = elf.up_to(0, 64);
  const bool little = head.size() > 5 && head[5] == 1;
  const auto type = ElfBytes(head, true, little).number(16, 2).value_or(0);
  if (type == 1)
    return CarrierKind::object;
  return type == 2 || names_loader ? CarrierKind::program : CarrierKind::library;
}

Reading<CarrierKind> read_elf(const Bytes& elf, Holding& holding) {
  const auto table = SectionTable::open(elf, ElfKinds::any);
  if (!table)
    return tl::unexpected(table.error());
  const SectionTable& sections = **table;
  bool names_loader = false;
  Reading<bool> read = true;
  const auto all = sections.each([&](const ObjectSection& section) {
    if (!may_hold_code(section))
      return true;
    const auto name = sections.name_bytes(section);
    if (!name) {
      read = damaged("the name of a section lies outside the table of names");
      return false;
    }
    names_loader = names_loader || name->starts_with(std::string_view(".interp\0", 8));
    if (role(section, *name) != SectionRole::device)
      return true;
    const auto content = sections.content(section);
    read = content ? read_fatbins(*content, holding) : damaged("a section of device code lies past its end");
    return read.has_value();
  });
  if (!all)
    return tl::unexpected(all.error());
  if (!read)
    return tl::unexpected(read.error());
  return kind_of(elf, names_loader);
}

/// Adds one piece that is a whole file.
Reading<CarrierKind> add_raw(const Reading<DeviceCodeHead>& head, CarrierKind kind, Holding& holding) {
  if (!head)
    return tl::unexpected(head.error());
  holding.add(std::span(&*head, 1));
  return kind;
}

} // namespace

const char* to_string(CarrierKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

Reading<CarrierKind> read_device_code(const Bytes& input, Holding& holding) {
  const std::string_view head = input.up_to(0, 8);
  if (head.empty() && input.size() != 0)
    return damaged("its first bytes cannot be read");
  if (head.starts_with(elf_magic))
    return is_cubin(input) ? add_raw(read_cubin(input), CarrierKind::cubin, holding)
                           : read_elf(input, holding);
  if (is_ltoir(head))
    return add_raw(read_ltoir(input), CarrierKind::ltoir, holding);
  if (is_fatbin(head))
    return read_fatbins(input, holding).map([](bool) { return CarrierKind::fatbin; });
  if (const auto ptx = read_ptx(input))
    return add_raw(*ptx, CarrierKind::ptx, holding);
  // What is cut within a magic is no other file.
  for (const std::string_view magic :
       {elf_magic, std::string_view("\x50\xED\x55\xBA"), std::string_view("\xED\x43\x4E\x7F")})
    if (head.size() > 1 && magic.starts_with(head))
      return damaged("it ends after its first bytes");
  return CarrierKind::none;
}

} // namespace hostpin
