// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/fatbin/reader.hpp"

#include "hooks/fatbin/raw.hpp"
#include "toolchains/binary/fatbin.hpp"
#include "toolchains/binary/kind.hpp"
#include "toolchains/binary/sections.hpp"
#include "toolchains/fatbin/functions.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace hostpin {

using namespace binary;

namespace {

constexpr auto kind_names = std::to_array<const char*>(
    {"file", "object", "program", "shared library", "archive", "fatbin", "cubin", "PTX", "LTO-IR"});

constexpr std::string_view elf_magic("\x7f"
                                     "ELF",
                                     4);
constexpr std::size_t longest_source = 4096; ///< PATH_MAX

/// The name of the source in the header, if it has one.
std::string source_of(const Bytes& bytes, const EmbeddedCode& entry) {
  if (entry.name_size == 0 || entry.name_size > longest_source || entry.name_at > entry.header ||
      entry.name_size > entry.header - entry.name_at)
    return {};
  const auto name = bytes.view(entry.at + entry.name_at, entry.name_size);
  return name ? std::string(name->substr(0, name->find('\0'))) : std::string();
}

/// `whole`: the use if there are functions in it.
CodeUse use_of(const DeviceCodeHead& head, const Bytes& bytes, std::uint64_t payload_at, CodeUse whole) {
  if (!may_lack_functions(head))
    return whole;
  const auto payload = bytes.view(payload_at, head.size);
  return payload && lacks_functions(head, *payload) ? CodeUse::none : whole;
}

Reading<bool> read_fatbins(const Bytes& bytes, CodeUse use, Holding& holding) {
  return each_fatbin(bytes, [&](const std::vector<EmbeddedCode>& fatbin) -> Reading<bool> {
    holding.begin_fatbin();
    for (const EmbeddedCode& entry : fatbin) {
      holding.add(entry, use_of(entry, bytes, entry.at + entry.header, use));
      if (std::string source = source_of(bytes, entry); !source.empty())
        holding.add_source(std::move(source));
    }
    return true;
  });
}

// e_type of elf.h; programs can be shared objects too, with an interpreter.
constexpr std::uint64_t relocatable = 1, executable = 2;

CarrierKind kind_of(std::uint64_t type, bool names_loader) {
  if (type == relocatable)
    return CarrierKind::object;
  return type == executable || names_loader ? CarrierKind::program : CarrierKind::library;
}

/// How many of the wrappers that are passed to the runtime mark their fatbin as written by a device link;
/// `most` are read. They are __fatBinC_Wrapper_t of fatbinary_section.h, with version 2 for these.
std::uint64_t linked_wrappers(const Bytes& segment, std::uint64_t most) {
  constexpr std::uint64_t magic = 0x466243b1, by_link = 2, size = 24;
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < most && size * (i + 1) <= segment.size(); ++i)
    if (segment.little(size * i, 4) == magic && segment.little(size * i + 4, 4) == by_link)
      ++count;
  return count;
}

/// A link leaves nvlink's input in a program; the NVIDIA driver gets nvlink's output.
CodeUse use_in(std::string_view section, std::uint64_t type) {
  return type != relocatable && section.starts_with("__nv_relfatbin") ? CodeUse::link : CodeUse::run;
}

Reading<CarrierKind> read_elf(const Bytes& elf, Holding& holding) {
  const auto table = SectionTable::open(elf, ElfKinds::any);
  if (!table)
    return tl::unexpected(table.error());
  const SectionTable& sections = **table;
  const std::uint64_t type = sections.type();
  bool names_loader = false;
  std::uint64_t stubs = 0; // fatbins without executable code that a device link may have written
  std::optional<Bytes> wrappers;
  const std::uint64_t fatbins_before = holding.fatbins;
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
    if (name->starts_with(std::string_view(".nvFatBinSegment\0", 17)))
      wrappers = sections.content(section);
    if (role(section, *name) != SectionRole::device)
      return true;
    const CodeUse use = use_in(*name, type);
    const auto content = sections.content(section);
    const std::uint64_t idle_before = holding.idle;
    read =
        content ? read_fatbins(*content, use, holding) : damaged("a section of device code is past its end");
    if (use == CodeUse::run)
      stubs += holding.idle - idle_before;
    return read.has_value();
  });
  if (wrappers) {
    const std::uint64_t linked = linked_wrappers(*wrappers, holding.fatbins - fatbins_before);
    holding.linked += linked - std::min(linked, stubs);
  }
  if (!all)
    return tl::unexpected(all.error());
  if (!read)
    return tl::unexpected(read.error());
  return kind_of(type, names_loader);
}

/// Adds one piece that is a whole file.
Reading<CarrierKind> add_raw(const Bytes& input, const Reading<DeviceCodeHead>& head, CarrierKind kind,
                             Holding& holding) {
  if (!head)
    return tl::unexpected(head.error());
  holding.begin_fatbin();
  holding.add(*head, use_of(*head, input, 0, CodeUse::run));
  return kind;
}

} // namespace

const char* to_string(CarrierKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

namespace {

Reading<CarrierKind> read_any(const Bytes& input, Holding& holding) {
  const std::string_view head = input.up_to(0, 8);
  if (head.empty() && input.size() != 0)
    return damaged("its first bytes cannot be read");
  if (head.starts_with(elf_magic))
    return is_cubin(input) ? add_raw(input, read_cubin(input), CarrierKind::cubin, holding)
                           : read_elf(input, holding);
  if (is_ltoir(head))
    return add_raw(input, read_ltoir(input), CarrierKind::ltoir, holding);
  if (is_fatbin(head))
    return read_fatbins(input, CodeUse::run, holding).map([](bool) { return CarrierKind::fatbin; });
  if (const auto ptx = read_ptx(input))
    return add_raw(input, *ptx, CarrierKind::ptx, holding);
  // A file that is truncated within a magic is of no other kind.
  for (const std::string_view magic :
       {elf_magic, std::string_view("\x50\xED\x55\xBA"), std::string_view("\xED\x43\x4E\x7F")})
    if (head.size() > 1 && magic.starts_with(head))
      return damaged("it ends after its first bytes");
  return CarrierKind::none;
}

} // namespace

Reading<CarrierKind> read_device_code(const Bytes& input, Holding& holding) {
  auto kind = read_any(input, holding);
  if (kind && holding.overflown)
    return damaged("it has more kinds of device code, or names of sources, than any real file");
  return kind;
}

} // namespace hostpin
