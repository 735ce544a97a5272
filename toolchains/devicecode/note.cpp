// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/note.hpp"

#include "toolchains/binary/elf_headers.hpp"
#include "toolchains/gpus/item.hpp"

#include <cstddef>
#include <cstring>

namespace hostpin::devicecode {

namespace {

constexpr std::string_view owner("hostpin\0", 8);
constexpr std::uint32_t type = 1;
constexpr std::string_view gpus_line = "gpus=", ptx_line = "ptx=";
constexpr std::size_t largest = 4096;

bool take_gpus(std::string_view list, std::vector<gpus::Capability>& gpus) {
  for (const std::string_view item : gpus::items_of(list)) {
    const auto capability = gpus::capability_named(item);
    if (!capability && !item.empty())
      return false;
    if (capability)
      gpus.push_back(*capability);
  }
  return true;
}

} // namespace

std::string note_bytes(const Note& note) {
  std::string list;
  for (const gpus::Capability& gpu : note.gpus) {
    if (!list.empty())
      list += ';';
    list += to_string(gpu);
  }
  std::string text = std::string(gpus_line).append(list).append(1, '\n');
  if (!note.ptx.empty())
    text.append(ptx_line).append(note.ptx).append(1, '\n');
  const Elf64_Nhdr header{static_cast<std::uint32_t>(owner.size()), static_cast<std::uint32_t>(text.size()),
                          type};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(owner).append(text);
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

std::optional<Note> note_in(std::string_view bytes) {
  Elf64_Nhdr header{};
  if (bytes.size() < sizeof header + owner.size())
    return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  if (header.n_namesz != owner.size() || header.n_type != type || !bytes.starts_with(owner) ||
      header.n_descsz > bytes.size() - owner.size())
    return std::nullopt;
  std::string_view text = bytes.substr(owner.size(), header.n_descsz);
  Note note;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(gpus_line) && !take_gpus(line.substr(gpus_line.size()), note.gpus))
      return std::nullopt;
    if (line.starts_with(ptx_line))
      note.ptx = line.substr(ptx_line.size());
  }
  return note;
}

std::optional<Note> read_note(const binary::Bytes& file) {
  const auto headers = binary::read_elf_headers(file);
  const Elf64_Shdr* const section = headers && *headers ? (**headers).section_named(Note::section) : nullptr;
  if (section == nullptr || section->sh_type != SHT_NOTE || section->sh_size > largest)
    return std::nullopt;
  const auto bytes = file.view(section->sh_offset, section->sh_size);
  return bytes ? note_in(*bytes) : std::nullopt;
}

} // namespace hostpin::devicecode
