// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/binaries.hpp"

#include "toolchains/base/version.hpp"
#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/binary/elf_headers.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/fatbin/inventory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace hostpin::redist {

namespace {

using binary::Bytes;

constexpr std::size_t longest_opened = 128;

/// The newest version of a name such as GLIBC_2.34, without the prefix.
std::string newest(const std::vector<binary::VersionNeed>& needs, std::string_view prefix) {
  std::string best;
  Version best_version;
  for (const binary::VersionNeed& need : needs)
    for (const std::string& name : need.versions) {
      if (!name.starts_with(prefix))
        continue;
      const auto version = parse_version(std::string_view(name).substr(prefix.size()));
      if (version && (best.empty() || *version > best_version)) {
        best = name.substr(prefix.size());
        best_version = *version;
      }
    }
  return best;
}

/// Sections of a library that are neither code for processors or GPUs nor absent from the file: where strings
/// are. Without section headers that is all of the file.
std::vector<std::string_view> parts_with_strings(std::string_view bytes) {
  const binary::InputFile file(bytes);
  const auto headers = binary::read_elf_headers(Bytes(file));
  if (!headers || !*headers || (*headers)->sections.empty())
    return {bytes};
  std::vector<std::string_view> parts;
  for (const Elf64_Shdr& section : (*headers)->sections) {
    const std::string_view name = (*headers)->name(section);
    const bool is_data = section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_ALLOC) != 0 &&
                         (section.sh_flags & SHF_EXECINSTR) == 0;
    if (!is_data || name.starts_with(".nv") || name.starts_with("__nv") || name.starts_with(".eh_frame") ||
        section.sh_offset > bytes.size())
      continue;
    parts.push_back(
        bytes.substr(static_cast<std::size_t>(section.sh_offset), static_cast<std::size_t>(section.sh_size)));
  }
  return parts;
}

/// Relocatable code counts in archives, which are linked; in libraries it is left over from a device link.
void add_device_code(Binary& binary, const fatbin::Holding& holding) {
  const bool is_linked = binary.kind != Binary::Kind::objects;
  for (const auto& [held, amount] : holding.codes) {
    if (held.capability.major == 0 || held.use == fatbin::CodeUse::none ||
        (is_linked && held.use == fatbin::CodeUse::link))
      continue;
    if (held.code == hostpin::binary::DeviceCode::cubin)
      binary.machine_code.insert(held.capability);
    if (held.code == hostpin::binary::DeviceCode::ptx)
      binary.ptx.insert(held.capability);
  }
}

void read_device_code(Binary& binary, const std::string& path, const hostpin::binary::InputFile& file) {
  std::vector<fatbin::Unread> unread;
  const fatbin::FileInventory inventory = fatbin::file_inventory(path, file, unread);
  add_device_code(binary, inventory.holding);
  for (const fatbin::MemberHolding& member : inventory.members)
    add_device_code(binary, member.holding);
  binary.whole = inventory.whole && unread.empty();
}

/// False if it is neither a program nor a library, as an object is.
Result<bool> read_elf(Binary& binary, std::string_view bytes, const ContentFacts& facts) {
  const hostpin::binary::ElfBytes header(bytes, true, bytes[5] == 1);
  const auto type = header.number(16, 2);
  if (!type || (*type != ET_EXEC && *type != ET_DYN))
    return false;
  binary.machine = elf_machine(bytes);
  TRY_ASSIGN(auto image, hostpin::binary::read_image(bytes));
  if (!image)
    return true; // linked statically
  binary.kind = image->interpreter.empty() ? Binary::Kind::library : Binary::Kind::program;
  binary.soname = image->soname;
  binary.needed = image->needed;
  binary.versions = image->version_definitions.size();
  binary.glibc = newest(image->version_needs, "GLIBC_");
  binary.glibcxx = newest(image->version_needs, "GLIBCXX_");
  binary.interpreter = image->interpreter;
  binary.refusals = image->refusals;
  binary.rpath = image->rpath;
  binary.runpath = image->runpath;
  std::vector<std::string> except = binary.needed;
  except.push_back(binary.soname);
  std::set<std::string> opened;
  for (const std::string_view part : parts_with_strings(bytes))
    for (std::string& name : names_opened(part, facts, except))
      opened.insert(std::move(name));
  binary.opened.assign(opened.begin(), opened.end());
  return true;
}

/// The machine and kind of an archive by its first member that is an object.
void read_archive(Binary& binary, const hostpin::binary::InputFile& file) {
  binary.kind = Binary::Kind::objects;
  hostpin::binary::ArchiveReader reader(Bytes(file), hostpin::binary::ArchiveKind::ordinary);
  while (true) {
    const auto member = reader.next();
    if (!member || !*member)
      return;
    if (!(*member)->content)
      continue;
    binary.machine = elf_machine((*member)->content->up_to(0, 64));
    if (!binary.machine.empty())
      return;
  }
}

std::string pe_machine(std::uint16_t machine) {
  if (machine == 0x8664)
    return "x86_64-pe";
  if (machine == 0xaa64)
    return "aarch64-pe";
  return "machine-" + std::to_string(machine) + "-pe";
}

bool read_windows(Binary& binary, std::string_view bytes) {
  const auto header = hostpin::binary::pe_header(bytes);
  if (header) {
    binary.kind = header->library ? Binary::Kind::library : Binary::Kind::program;
    binary.machine = pe_machine(header->machine);
  }
  return header.has_value();
}

/// Which of the formats it is, and its facts; false if it is none of them.
Result<bool> read_by_magic(Binary& binary, const std::string& file, const hostpin::binary::MappedFile& map,
                           const ContentFacts& facts) {
  const std::string_view bytes = map.bytes();
  const hostpin::binary::InputFile input(bytes);
  Result<bool> known = false;
  if (bytes.size() >= 20 && bytes.starts_with("\x7f"
                                              "ELF"))
    known = read_elf(binary, bytes, facts);
  else if (bytes.starts_with("!<arch>\n")) {
    read_archive(binary, input);
    known = true;
  } else if (bytes.starts_with("MZ"))
    known = read_windows(binary, bytes);
  if (known && *known)
    read_device_code(binary, file, input);
  return known;
}

bool is_printable(char c) {
  return c > ' ' && c < 0x7f;
}

} // namespace

std::vector<std::string> names_opened(std::string_view bytes, const ContentFacts& facts,
                                      const std::vector<std::string>& except) {
  std::set<std::string> found;
  for (std::size_t at = bytes.find(".so"); at != bytes.npos; at = bytes.find(".so", at + 3)) {
    std::size_t begin = at, end = at + 3;
    while (begin > 0 && is_printable(bytes[begin - 1]) && at - begin < longest_opened)
      --begin;
    while (end < bytes.size() && is_printable(bytes[end]) && end - at < longest_opened)
      ++end;
    const bool is_whole =
        (begin == 0 || bytes[begin - 1] == '\0') && end < bytes.size() && bytes[end] == '\0';
    const std::string name(bytes.substr(begin, end - begin));
    if (is_whole && name.starts_with("lib") && std::ranges::find(except, name) == except.end() &&
        opened_package(facts, name))
      found.insert(name);
  }
  return {found.begin(), found.end()};
}

std::string elf_machine(std::string_view head) {
  if (head.size() < 20 || !head.starts_with("\x7f"
                                            "ELF"))
    return {};
  const bool little = head[5] == 1;
  const auto machine = hostpin::binary::ElfBytes(head, true, little).number(18, 2).value_or(0);
  if (machine == EM_X86_64)
    return "x86_64";
  if (machine == EM_AARCH64 && little)
    return "aarch64";
  if (machine == EM_PPC64 && little)
    return "ppc64le";
  if (machine == EM_386)
    return "i386";
  return "machine-" + std::to_string(machine);
}

std::optional<Binary> read_binary(const std::string& directory, const std::string& path,
                                  const ContentFacts& facts, std::vector<DamagedFile>& damaged) {
  const std::string file = directory + '/' + path;
  const auto map = hostpin::binary::MappedFile::open(file);
  if (!map)
    return std::nullopt;
  Binary binary;
  binary.path = path;
  binary.output = output_of(facts, path);
  binary.size = map->bytes().size();
  const Result<bool> known = read_by_magic(binary, file, *map, facts);
  if (!known)
    damaged.push_back({path, known.error().message});
  return known && *known ? std::optional(std::move(binary)) : std::nullopt;
}

} // namespace hostpin::redist
