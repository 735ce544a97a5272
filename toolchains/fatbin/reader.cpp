// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/fatbin.hpp"
#include "toolchains/binary/kind.hpp"
#include "toolchains/binary/sections.hpp"
#include "toolchains/fatbin/functions.hpp"
#include "toolchains/fatbin/inventory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::fatbin {

using namespace binary;

namespace {

using Variant = DeviceVariant;

// Measured in output of nvcc 11.2 to 13.0; e_machine is in elf.h. Up to CUDA 12 the lowest byte of e_flags is
// the architecture, since 13 (with another ABI) the second one.
constexpr std::uint64_t machine_at = 18, machine_cuda = 190, osabi_at = 7, flags_at_wide = 48,
                        flags_at_narrow = 36;
constexpr std::uint64_t newer_osabi = 0x41, older_architecture_specific = 0x800;
constexpr std::string_view note_of_ptxas = ".note.nv.tkinfo";

/// The directives may begin late: a licence may precede them.
constexpr std::size_t longest_preamble = 16384;

Variant variant_of(char letter) {
  return letter == 'a'   ? Variant::architecture_specific
         : letter == 'f' ? Variant::family_specific
                         : Variant::baseline;
}

/// Takes `90a` after `sm_`.
bool take_architecture(std::string_view text, DeviceCodeHead& head) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, head.architecture);
  if (read.ec != std::errc())
    return false;
  head.variant = variant_of(read.ptr != end ? *read.ptr : '\0');
  return true;
}

/// ptxas stores its arguments: `-arch sm_90a -m 64`.
Reading<bool> take_variant_of_note(const Bytes& cubin, DeviceCodeHead& head) {
  TRY_ASSIGN(const auto& sections, SectionTable::open(cubin, ElfKinds::any));
  return sections->each([&](const ObjectSection& section) {
    const auto name = sections->name_bytes(section);
    if (!name || !name->starts_with(note_of_ptxas))
      return true;
    const auto note = sections->content(section);
    const std::string_view text = note ? note->up_to(0, Bytes::view_limit) : std::string_view();
    constexpr std::string_view option = "-arch sm_";
    const std::size_t found = text.find(option);
    DeviceCodeHead named;
    if (found != std::string_view::npos && take_architecture(text.substr(found + option.size()), named) &&
        named.architecture == head.architecture)
      head.variant = named.variant;
    return false;
  });
}

DeviceCodeHead whole(const Bytes& bytes, DeviceCode code) {
  DeviceCodeHead head;
  head.code = code;
  head.payload = head.size = head.unpacked = bytes.size();
  return head;
}

/// Lines without comments and empty lines; the directives come before everything else.
class Lines {
public:
  explicit Lines(std::string_view text) : text_(text) {}

  std::optional<std::string_view> next() {
    while (true) {
      const std::size_t begin = text_.find_first_not_of(" \t\r\n");
      if (begin == std::string_view::npos)
        return std::nullopt;
      text_.remove_prefix(begin);
      const bool block = text_.starts_with("/*");
      const std::size_t end = text_.find(block ? "*/" : "\n");
      const std::string_view line = text_.substr(0, end);
      text_ = end == std::string_view::npos ? std::string_view() : text_.substr(end + (block ? 2 : 1));
      if (!block && !line.starts_with("//"))
        return line;
    }
  }

private:
  std::string_view text_;
};

/// The text after the directive and white space.
std::optional<std::string_view> value_of(std::string_view line, std::string_view directive) {
  if (!line.starts_with(directive))
    return std::nullopt;
  line.remove_prefix(directive.size());
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == 0 || begin == std::string_view::npos ? std::nullopt : std::optional(line.substr(begin));
}

// Device code outside of any fatbin, as `nvcc -cubin`, `-ptx` and `-ltoir` write it.

/// Whether an ELF file is machine code for NVIDIA's GPUs.
bool is_cubin(const Bytes& elf) {
  const std::string_view head = elf.up_to(0, 64);
  return ElfBytes(head, true, true).number(machine_at, 2) == machine_cuda;
}

/// The target of a cubin: the architecture from its ELF header, the variant from there or, as CUDA 13 writes
/// it, from the note of ptxas.
Reading<DeviceCodeHead> read_cubin(const Bytes& cubin) {
  DeviceCodeHead head = whole(cubin, DeviceCode::cubin);
  const auto wide = cubin.little(4, 1);
  const auto osabi = cubin.little(osabi_at, 1);
  const auto flags = cubin.little(wide == std::uint64_t{2} ? flags_at_wide : flags_at_narrow, 4);
  if (!flags || !osabi)
    return damaged("it ends within its ELF header");
  if (*osabi == newer_osabi) {
    head.architecture = static_cast<std::uint32_t>(*flags >> 8U & 0xffU);
    TRY(take_variant_of_note(cubin, head));
    return head;
  }
  head.architecture = static_cast<std::uint32_t>(*flags & 0xffU);
  if ((*flags & older_architecture_specific) != 0)
    head.variant = Variant::architecture_specific;
  return head;
}

/// The target of a PTX text by its directives .version and .target; nothing if it is other text.
std::optional<DeviceCodeHead> read_ptx(const Bytes& text) {
  // Rejects most files without reading more of them.
  if (text.up_to(0, 8).find_first_of("/. \t\r\n") != 0)
    return std::nullopt;
  Lines lines(text.up_to(0, longest_preamble));
  const auto version = lines.next();
  const auto number = version ? value_of(*version, ".version") : std::nullopt;
  const auto target = number ? lines.next() : std::nullopt;
  const auto names = target ? value_of(*target, ".target") : std::nullopt;
  DeviceCodeHead head = whole(text, DeviceCode::ptx);
  if (!names || !names->starts_with("sm_") || !take_architecture(names->substr(3), head))
    return std::nullopt;
  const char* const end = number->data() + number->size();
  const auto major = std::from_chars(number->data(), end, head.major);
  if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.')
    std::from_chars(major.ptr + 1, end, head.minor);
  return head;
}

/// Whether these are the first bytes of LTO-IR.
bool is_ltoir(std::string_view head) {
  return head.starts_with("\xED\x43\x4E\x7F");
}

Reading<DeviceCodeHead> read_ltoir(const Bytes& ltoir) {
  const auto major = ltoir.little(4, 1);
  const auto minor = ltoir.little(5, 1);
  if (!major || !minor)
    return damaged("it ends before the version of its LTO-IR");
  DeviceCodeHead head = whole(ltoir, DeviceCode::ltoir);
  head.major = static_cast<std::uint32_t>(*major);
  head.minor = static_cast<std::uint32_t>(*minor);
  return head;
}

constexpr auto kind_names = std::to_array<const char*>(
    {"file", "object", "program", "shared library", "archive", "fatbin", "cubin", "PTX", "LTO-IR"});

constexpr std::string_view elf_magic("\x7f"
                                     "ELF",
                                     4);
constexpr std::size_t longest_source = 4096; ///< PATH_MAX

/// The name of the source of a piece of the entry, if the entry's header has one.
std::string source_of(const Bytes& bytes, const EmbeddedCode& entry, const DeviceCodeHead& piece) {
  if (piece.name_size == 0 || piece.name_size > longest_source || piece.name_at > entry.header ||
      piece.name_size > entry.header - piece.name_at)
    return {};
  const auto name = bytes.view(entry.at + piece.name_at, piece.name_size);
  return name ? std::string(name->substr(0, name->find('\0'))) : std::string();
}

/// `whole`: the use if there are functions in it.
CodeUse use_of(const DeviceCodeHead& head, const Bytes& bytes, std::uint64_t payload_at, CodeUse whole) {
  if (!may_lack_functions(head))
    return whole;
  const auto payload = bytes.view(payload_at, head.size);
  return payload && lacks_functions(head, *payload) ? CodeUse::none : whole;
}

void add_entry(const Bytes& bytes, const EmbeddedCode& entry, CodeUse use, Holding& holding) {
  const auto add = [&](const DeviceCodeHead& piece, CodeUse piece_use) {
    holding.add(piece, piece_use);
    if (std::string source = source_of(bytes, entry, piece); !source.empty())
      holding.add_source(std::move(source));
  };
  if (entry.bundled.empty())
    return add(entry, use_of(entry, bytes, entry.at + entry.header, use));
  const auto payload = bytes.view(entry.at + entry.header, entry.size);
  const std::vector<bool> lack = payload ? lack_functions(entry, *payload) : std::vector<bool>();
  for (std::size_t i = 0; i < entry.bundled.size(); ++i)
    add(entry.bundled[i], i < lack.size() && lack[i] ? CodeUse::none : use);
}

/// `is_empty`: gets an element for each fatbin.
Reading<bool> read_fatbins(const Bytes& bytes, CodeUse use, Holding& holding,
                           std::vector<bool>* is_empty = nullptr) {
  return each_fatbin(bytes, [&](const std::vector<EmbeddedCode>& fatbin) -> Reading<bool> {
    holding.begin_fatbin();
    if (is_empty != nullptr)
      is_empty->push_back(fatbin.empty());
    if (use == CodeUse::link && fatbin.empty())
      ++holding.idle;
    for (const EmbeddedCode& entry : fatbin)
      add_entry(bytes, entry, use, holding);
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

/// A link leaves nvlink's input in a program; the NVIDIA driver gets nvlink's output.
CodeUse use_in(std::string_view section, std::uint64_t type) {
  return type != relocatable && section.starts_with("__nv_relfatbin") ? CodeUse::link : CodeUse::run;
}

Reading<CarrierKind> read_elf(const Bytes& elf, Holding& holding) {
  TRY_ASSIGN(const auto& table, SectionTable::open(elf, ElfKinds::any));
  const SectionTable& sections = *table;
  const std::uint64_t type = sections.type();
  bool names_loader = false;
  std::uint64_t stubs = 0; // fatbins without executable code that a device link may have written
  std::optional<Bytes> wrappers;
  std::vector<bool> is_empty; // each fatbin, whether it is
  bool links = false;         // there is relocatable code
  Reading<bool> read = true;
  const auto all = sections.each([&](const ObjectSection& section) {
    if (!may_hold_code(section))
      return true;
    const auto name = sections.name_bytes(section);
    if (!name) {
      read = damaged("the name of a section is outside the table of names");
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
    read = content ? read_fatbins(*content, use, holding, &is_empty)
                   : damaged("a section of device code is past its end");
    if (use == CodeUse::run)
      stubs += holding.idle - idle_before;
    links = links || name->starts_with("__nv_relfatbin");
    return read.has_value();
  });
  if (wrappers) {
    const auto versions = wrapper_versions(*wrappers, is_empty.size() + 1);
    const auto linked =
        static_cast<std::uint64_t>(std::count(versions.begin(), versions.end(), FatbinWrapper::linked));
    if (!links)
      for (const bool is_stub : link_stubs(is_empty, versions)) {
        stubs += is_stub ? 1U : 0U;
        holding.idle += is_stub ? 1U : 0U;
      }
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

void read_embedded(const Bytes& file, Holding& holding) {
  constexpr std::string_view begin("\x50\xED\x55\xBA\x01\x00\x10\x00", 8); // version 1, a header of 16 bytes
  for (std::uint64_t at = 0; at < file.size();) {
    const std::string_view window = file.up_to(at, Bytes::view_limit);
    if (window.size() < FatbinHead::bytes)
      return;
    const std::size_t found = window.find(begin);
    if (found == std::string_view::npos) {
      at += window.size() - begin.size() + 1;
      continue;
    }
    at += found;
    const auto head = fatbin_head(file.up_to(at, FatbinHead::bytes));
    const auto fatbin = head ? file.part(at, sum(head->header, head->content)) : std::nullopt;
    Holding held;
    const bool is_one = fatbin && read_fatbins(*fatbin, CodeUse::run, held) && !held.empty();
    if (is_one)
      holding.add(held);
    at += is_one ? fatbin->size() : begin.size();
  }
}

} // namespace hostpin::fatbin
