// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/fatbin.hpp"

#include "toolchains/binary/fatbin.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace hostpin {

namespace {

/// The few bytes of a head, or as many as there are.
std::string bytes_at(const Blob& blob, std::uint64_t offset, std::uint64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  bytes.resize(blob.read(offset, bytes).value_or(0));
  return bytes;
}

tl::unexpected<Error> damaged(std::uint64_t at) {
  return failure("its device code is cut short or damaged at byte " + std::to_string(at));
}

bool is_elf(const Blob& section, std::uint64_t offset) {
  return section.part(offset, 4).beginning(4) == "\x7f"
                                                 "ELF";
}

struct Placed {
  FatbinEntry entry;
  std::uint64_t end = 0;
};

FatbinEntry::Packing packing_of(binary::DevicePacking packing) {
  using Packing = FatbinEntry::Packing;
  if (packing == binary::DevicePacking::none)
    return Packing::none;
  return packing == binary::DevicePacking::lz4 ? Packing::lz4 : Packing::zstd;
}

std::optional<Placed> entry_at(const Blob& section, std::uint64_t at, std::uint64_t end) {
  const auto head = binary::device_code_head(
      bytes_at(section, at, std::min<std::uint64_t>(end - at, binary::DeviceCodeHead::bytes)));
  if (!head || head->header > end - at || head->payload > end - at - head->header)
    return std::nullopt;
  FatbinEntry entry{*head, 0, at + head->header, packing_of(head->packing)};
  if (head->packing == binary::DevicePacking::none && head->code == binary::DeviceCode::cubin &&
      head->payload > 0 && !is_elf(section, entry.offset))
    entry.packing = FatbinEntry::Packing::unknown;
  return Placed{entry, at + head->header + head->payload};
}

} // namespace

std::string FatbinEntry::name() const {
  const char* const what = head.code == binary::DeviceCode::ptx     ? "PTX"
                           : head.code == binary::DeviceCode::cubin ? "cubin"
                           : head.code == binary::DeviceCode::ltoir ? "LTO-IR"
                                                                    : "entry";
  return "sm_" + std::to_string(head.architecture) + ' ' + what;
}

bool holds_fatbins(std::string_view section) {
  return section == ".nv_fatbin" || section == "__nv_relfatbin";
}

Result<void> read_fatbins(const Blob& section, const std::function<bool(const FatbinEntry&)>& visit) {
  constexpr std::uint64_t alignment = binary::FatbinHead::alignment;
  std::uint64_t padding = 0; // between those of several objects
  for (std::uint64_t at = 0; at + binary::FatbinHead::bytes <= section.size();) {
    const std::string begin = bytes_at(section, at, binary::FatbinHead::bytes);
    if (begin.starts_with(std::string_view("\0\0\0\0", 4)) && padding < binary::FatbinHead::most_padding) {
      at += alignment;
      padding += alignment;
      continue;
    }
    padding = 0;
    const auto container = binary::fatbin_head(begin);
    const std::uint64_t left = section.size() - at;
    if (!container || container->version != binary::FatbinHead::known_version ||
        container->header < binary::FatbinHead::bytes || container->header > left ||
        container->content > left - container->header)
      return damaged(at);
    const std::uint64_t end = at + container->header + container->content;
    std::size_t entries = 0;
    for (std::uint64_t entry = at + container->header; entry < end;) {
      auto placed = entry_at(section, entry, end);
      if (!placed || ++entries > binary::FatbinHead::most_entries)
        return damaged(entry);
      placed->entry.fatbin = at;
      if (!visit(placed->entry))
        return {};
      entry = placed->end;
    }
    at = (end + alignment - 1) / alignment * alignment;
  }
  return {};
}

} // namespace hostpin
