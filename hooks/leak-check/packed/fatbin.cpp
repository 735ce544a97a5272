// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/fatbin.hpp"

#include "toolchains/library/elf_bytes.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace hostpin {

namespace {

constexpr std::uint64_t magic = 0xBA55ED50;
constexpr std::uint64_t container_header = 16, shortest_entry_header = 0x30, longest_entry_header = 0x1000;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;
constexpr std::uint16_t kind_ptx = 1, kind_cubin = 2, kind_lto = 8;

/// Numbers in the few bytes of a header.
class Header {
public:
  Header(const Blob& blob, std::uint64_t offset, std::size_t size) : bytes_(size, '\0') {
    bytes_.resize(blob.read(offset, bytes_).value_or(0));
  }
  std::optional<std::uint64_t> number(std::uint64_t offset, std::size_t size) const {
    return ElfBytes(std::string_view(bytes_), true, true).number(offset, size);
  }

private:
  std::string bytes_;
};

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

std::optional<Placed> entry_at(const Blob& section, std::uint64_t at, std::uint64_t end) {
  const Header header(section, at, shortest_entry_header);
  const auto kind = header.number(0, 2);
  const auto header_size = header.number(4, 4);
  const auto padded = header.number(8, 8);
  const auto packed = header.number(0x10, 4);
  const auto architecture = header.number(0x1c, 4);
  const auto flags = header.number(0x28, 8);
  if (!kind || !header_size || !padded || !packed || !architecture || !flags)
    return std::nullopt;
  if (*header_size < shortest_entry_header || *header_size > longest_entry_header ||
      *header_size > end - at || *padded > end - at - *header_size)
    return std::nullopt;
  FatbinEntry entry{static_cast<std::uint16_t>(*kind), static_cast<std::uint32_t>(*architecture),
                    at + *header_size, *padded, FatbinEntry::Packing::none};
  if ((*flags & (flag_lz4 | flag_zstd)) != 0) {
    entry.packing = (*flags & flag_lz4) != 0 ? FatbinEntry::Packing::lz4 : FatbinEntry::Packing::zstd;
    if (*packed != 0)
      entry.size = std::min(*padded, *packed);
  } else if (*kind == kind_cubin && *padded > 0 && !is_elf(section, entry.offset)) {
    entry.packing = FatbinEntry::Packing::unknown;
  }
  return Placed{entry, at + *header_size + *padded};
}

} // namespace

std::string FatbinEntry::name() const {
  const char* const what = kind == kind_ptx     ? "PTX"
                           : kind == kind_cubin ? "cubin"
                           : kind == kind_lto   ? "LTO-IR"
                                                : "entry";
  return "sm_" + std::to_string(architecture) + ' ' + what;
}

bool holds_fatbins(std::string_view section) {
  return section == ".nv_fatbin" || section == "__nv_relfatbin";
}

Result<void> read_fatbins(const Blob& section, const std::function<bool(const FatbinEntry&)>& visit) {
  constexpr std::uint64_t alignment = 8;
  for (std::uint64_t at = 0; at + container_header <= section.size();) {
    const Header container(section, at, container_header);
    const auto begins = container.number(0, 4);
    const auto header_size = container.number(6, 2);
    const auto size = container.number(8, 8);
    if (!begins || !header_size || !size)
      return damaged(at);
    if (*begins == 0) { // padding between those of several objects
      at += alignment;
      continue;
    }
    const std::uint64_t left = section.size() - at;
    if (*begins != magic || *header_size < container_header || *header_size > left ||
        *size > left - *header_size)
      return damaged(at);
    const std::uint64_t end = at + *header_size + *size;
    for (std::uint64_t entry = at + *header_size; entry + shortest_entry_header <= end;) {
      const auto placed = entry_at(section, entry, end);
      if (!placed)
        return damaged(entry);
      if (!visit(placed->entry))
        return {};
      entry = placed->end;
    }
    at = (end + alignment - 1) / alignment * alignment;
  }
  return {};
}

} // namespace hostpin
