// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/heads.hpp"

#include "toolchains/library/elf_bytes.hpp"

#include <algorithm>

namespace hostpin {

namespace {

constexpr std::string_view magic("\x50\xED\x55\xBA", 4);
constexpr std::uint64_t version_at = 4, header_at = 6, content_at = 8;

constexpr std::uint64_t kind_at = 0, entry_header_at = 4, payload_at = 8, packed_at = 0x10,
                        code_version_at = 0x18, architecture_at = 0x1c, name_at = 0x20, name_size_at = 0x24,
                        flags_at = 0x28, unpacked_at = 0x38;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_architecture_specific = 0x10'0000,
                        flag_family_specific = 0x20'0000;

DeviceCode code_of(std::uint64_t kind) {
  switch (kind) {
  case 1:
    return DeviceCode::ptx;
  case 2:
    return DeviceCode::cubin;
  case 8:
    return DeviceCode::ltoir;
  default:
    return DeviceCode::other;
  }
}

Capability::Variant variant_of(std::uint64_t flags) {
  if ((flags & flag_architecture_specific) != 0)
    return Capability::Variant::architecture_specific;
  return (flags & flag_family_specific) != 0 ? Capability::Variant::family_specific
                                             : Capability::Variant::baseline;
}

} // namespace

bool is_fatbin(std::string_view head) {
  return head.starts_with(magic);
}

std::optional<FatbinHead> fatbin_head(std::string_view bytes) {
  if (!is_fatbin(bytes) || bytes.size() < FatbinHead::bytes)
    return std::nullopt;
  const ElfBytes head(bytes, true, true);
  return FatbinHead{static_cast<std::uint32_t>(*head.number(version_at, 2)), *head.number(header_at, 2),
                    *head.number(content_at, 8)};
}

std::optional<DeviceCodeHead> device_code_head(std::string_view bytes) {
  if (bytes.size() < DeviceCodeHead::least_bytes)
    return std::nullopt;
  DeviceCodeHead head;
  head.header = *ElfBytes(bytes, true, true).number(entry_header_at, 4);
  if (head.header < DeviceCodeHead::least_bytes)
    return std::nullopt;
  // What lies behind a short head is the payload's.
  const ElfBytes fields(
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(head.header, bytes.size()))), true,
      true);
  const auto number = [&](std::uint64_t at, std::size_t size) { return fields.number(at, size).value_or(0); };
  const auto word = [&](std::uint64_t at, std::size_t size) {
    return static_cast<std::uint32_t>(number(at, size));
  };
  head.code = code_of(number(kind_at, 2));
  head.payload = number(payload_at, 8);
  head.minor = word(code_version_at, 2);
  head.major = word(code_version_at + 2, 2);
  head.architecture = word(architecture_at, 4);
  head.name_at = word(name_at, 4);
  head.name_size = word(name_size_at, 4);
  const std::uint64_t flags = number(flags_at, 8);
  head.variant = variant_of(flags);
  head.packing = (flags & flag_lz4) != 0    ? DevicePacking::lz4
                 : (flags & flag_zstd) != 0 ? DevicePacking::zstd
                                            : DevicePacking::none;
  head.size = head.unpacked = head.payload;
  if (head.packing != DevicePacking::none) {
    if (const std::uint64_t packed = number(packed_at, 4); packed != 0)
      head.size = std::min(head.payload, packed);
    head.unpacked = number(unpacked_at, 8);
  }
  return head;
}

Capability capability_of(const DeviceCodeHead& head) {
  return {static_cast<int>(head.architecture / 10), static_cast<int>(head.architecture % 10), head.variant};
}

} // namespace hostpin
