// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/fatbin/raw.hpp"

#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/sections.hpp"

#include <charconv>
#include <string>

namespace hostpin {

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
  const auto sections = SectionTable::open(cubin, ElfKinds::any);
  if (!sections)
    return tl::unexpected(sections.error());
  return (*sections)->each([&](const ObjectSection& section) {
    const auto name = (*sections)->name_bytes(section);
    if (!name || !name->starts_with(note_of_ptxas))
      return true;
    const auto note = (*sections)->content(section);
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

} // namespace

bool is_cubin(const Bytes& elf) {
  const std::string_view head = elf.up_to(0, 64);
  return ElfBytes(head, true, true).number(machine_at, 2) == machine_cuda;
}

Reading<DeviceCodeHead> read_cubin(const Bytes& cubin) {
  DeviceCodeHead head = whole(cubin, DeviceCode::cubin);
  const auto wide = cubin.little(4, 1);
  const auto osabi = cubin.little(osabi_at, 1);
  const auto flags = cubin.little(wide == std::uint64_t{2} ? flags_at_wide : flags_at_narrow, 4);
  if (!flags || !osabi)
    return damaged("it ends within its ELF header");
  if (*osabi == newer_osabi) {
    head.architecture = static_cast<std::uint32_t>(*flags >> 8U & 0xffU);
    if (const auto read = take_variant_of_note(cubin, head); !read)
      return tl::unexpected(read.error());
    return head;
  }
  head.architecture = static_cast<std::uint32_t>(*flags & 0xffU);
  if ((*flags & older_architecture_specific) != 0)
    head.variant = Variant::architecture_specific;
  return head;
}

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

} // namespace hostpin
