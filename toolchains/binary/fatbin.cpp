// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/fatbin.hpp"

#include "toolchains/binary/blob.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::binary {

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

DeviceVariant variant_of(std::uint64_t flags) {
  if ((flags & flag_architecture_specific) != 0)
    return DeviceVariant::architecture_specific;
  return (flags & flag_family_specific) != 0 ? DeviceVariant::family_specific : DeviceVariant::baseline;
}

constexpr std::uint64_t alignment = FatbinHead::alignment;

// A bundle: after its header's fields the number of its pieces and the bytes of the table that begins there.
// A row of it is a header with the offset of the code instead of its own size; a name, and the position and
// size of options, may follow.
constexpr std::uint64_t kind_bundle = 0x100, pieces_at = 0x40, rows_at = 0x48, begins_at = 4,
                        options_at = 0x14;

std::uint64_t aligned(std::uint64_t size) {
  return (size + alignment - 1) / alignment * alignment;
}

/// Divides the bytes of a bundle by what its pieces have after decompression; the last one gets the rest.
void share(const DeviceCodeHead& bundle, std::vector<DeviceCodeHead>& pieces) {
  std::uint64_t left = bundle.header + bundle.payload;
  const double each =
      bundle.unpacked == 0 ? 0 : static_cast<double>(left) / static_cast<double>(bundle.unpacked);
  for (DeviceCodeHead& piece : pieces) {
    const auto part = static_cast<std::uint64_t>(each * static_cast<double>(piece.unpacked));
    piece.payload = piece.size = &piece == &pieces.back() ? left : std::min(left, part);
    left -= piece.payload;
  }
}

/// The pieces in the header of a bundle; none if it is damaged.
std::vector<DeviceCodeHead> bundled_in(std::string_view header, const DeviceCodeHead& bundle) {
  const ElfBytes fields(header, true, true);
  const std::uint64_t count = fields.number(pieces_at, 4).value_or(0);
  std::vector<DeviceCodeHead> pieces;
  if (count > FatbinHead::most_entries)
    return pieces;
  for (std::uint64_t at = rows_at; pieces.size() < count;) {
    const auto number = [&](std::uint64_t field, std::size_t size) {
      return fields.number(at + field, size).value_or(0);
    };
    if (header.size() < DeviceCodeHead::bytes || at > header.size() - DeviceCodeHead::bytes)
      return {};
    DeviceCodeHead& piece = pieces.emplace_back();
    piece.code = code_of(number(kind_at, 2));
    piece.variant = variant_of(number(flags_at, 8));
    piece.packing = DevicePacking::bundle;
    piece.begins = number(begins_at, 4);
    piece.unpacked = number(payload_at, 8);
    piece.minor = static_cast<std::uint32_t>(number(code_version_at, 2));
    piece.major = static_cast<std::uint32_t>(number(code_version_at + 2, 2));
    piece.architecture = static_cast<std::uint32_t>(number(architecture_at, 4));
    piece.name_at = static_cast<std::uint32_t>(at + number(name_at, 4));
    piece.name_size = static_cast<std::uint32_t>(number(name_size_at, 4));
    if (piece.begins > bundle.unpacked || piece.unpacked > bundle.unpacked - piece.begins)
      return {};
    const std::uint64_t options = number(options_at, 4);
    const std::uint64_t end_of_name = number(name_at, 4) + piece.name_size,
                        end_of_options = options == 0 ? 0 : number(options, 4) + number(options + 4, 4);
    at += aligned(std::max({std::uint64_t{DeviceCodeHead::bytes}, end_of_name, end_of_options}));
  }
  share(bundle, pieces);
  return pieces;
}

bool is_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

/// Appends the entries of a fatbin from offset `begin` on; `fatbin`: the offset of the fatbin itself.
Reading<bool> read_entries(const Bytes& bytes, std::uint64_t fatbin, std::uint64_t begin, std::uint64_t size,
                           std::vector<EmbeddedCode>& entries) {
  for (std::uint64_t at = begin, end = begin + size; at < end;) {
    const std::uint64_t left = end - at;
    if (left < DeviceCodeHead::least_bytes)
      return damaged("a fatbin in it ends within the header of an entry", at);
    const auto head = device_code_head(
        bytes.up_to(at, static_cast<std::size_t>(std::min<std::uint64_t>(left, DeviceCodeHead::bytes))));
    if (!head || head->header > left || head->payload > left - head->header)
      return damaged("an entry of a fatbin in it reaches past the end of the fatbin", at);
    if (entries.size() == FatbinHead::most_entries)
      return damaged("a fatbin in it has more entries than any real one", at);
    EmbeddedCode& entry = entries.emplace_back(EmbeddedCode{*head, at, fatbin});
    if (bytes.little(at + kind_at, 2) == kind_bundle)
      entry.bundled = bundled_in(
          bytes.up_to(at, static_cast<std::size_t>(std::min<std::uint64_t>(head->header, Bytes::view_limit))),
          *head);
    at += head->header + head->payload;
  }
  return true;
}

/// Where the next fatbin may begin: linkers align consecutive ones.
std::uint64_t after_padding(const Bytes& bytes, std::uint64_t at) {
  const std::uint64_t end = std::min(bytes.size(), at + FatbinHead::most_padding);
  while (at < end && is_zero(bytes.up_to(at, alignment)))
    at += alignment;
  return at;
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
  // Bytes after a short header belong to the payload.
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

DevicePieces pieces_of(const std::vector<EmbeddedCode>& entries) {
  DevicePieces all;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const EmbeddedCode& entry = entries[i];
    if (entry.bundled.empty())
      all.pieces.push_back(entry);
    for (const DeviceCodeHead& piece : entry.bundled)
      all.pieces.push_back({piece, entry.at, entry.fatbin});
    all.entries.resize(all.pieces.size(), i);
  }
  return all;
}

std::vector<std::uint32_t> wrapper_versions(const Bytes& segment, std::uint64_t most) {
  std::vector<std::uint32_t> versions;
  for (std::uint64_t at = 0; versions.size() < most && FatbinWrapper::bytes <= segment.size() - at;
       at += FatbinWrapper::bytes)
    versions.push_back(segment.little(at, 4) == FatbinWrapper::magic
                           ? static_cast<std::uint32_t>(segment.little(at + version_at, 4).value_or(0))
                           : 0U);
  return versions;
}

std::vector<bool> link_stubs(const std::vector<bool>& is_empty, const std::vector<std::uint32_t>& versions) {
  std::vector<bool> stubs(is_empty.size(), false);
  for (std::size_t i = 0; i < stubs.size() && versions.size() == stubs.size(); ++i)
    stubs[i] = is_empty[i] && versions[i] == FatbinWrapper::linked;
  return stubs;
}

Reading<bool> each_whole_fatbin(const Bytes& bytes,
                                const std::function<Reading<bool>(const EmbeddedFatbin&)>& visit,
                                bool damaged_too) {
  for (std::uint64_t at = after_padding(bytes, 0); at < bytes.size();) {
    const std::string_view begin = bytes.up_to(at, FatbinHead::bytes);
    if (!is_fatbin(begin))
      return damaged("a section of device code contains something other than fatbins", at);
    const auto head = fatbin_head(begin);
    constexpr auto past_end = "a fatbin in it reaches past its end";
    if (!head)
      return damaged(past_end, at);
    if (head->version != FatbinHead::known_version)
      return damaged("a fatbin in it has the unknown version " + std::to_string(head->version), at);
    const std::uint64_t left = bytes.size() - at;
    if (head->header < FatbinHead::bytes || head->header > left || head->content > left - head->header)
      return damaged(past_end, at);
    EmbeddedFatbin fatbin{*head, at, {}};
    const auto read = read_entries(bytes, at, at + head->header, head->content, fatbin.entries);
    if (read || damaged_too)
      if (auto go_on = visit(fatbin); !go_on || !*go_on)
        return go_on;
    if (!read)
      return read;
    at += head->header + head->content;
    at += (alignment - at % alignment) % alignment;
    at = after_padding(bytes, at);
  }
  return true;
}

Reading<bool> each_fatbin(const Bytes& bytes,
                          const std::function<Reading<bool>(const std::vector<EmbeddedCode>&)>& visit,
                          bool damaged_too) {
  return each_whole_fatbin(
      bytes, [&](const EmbeddedFatbin& fatbin) { return visit(fatbin.entries); }, damaged_too);
}

} // namespace hostpin::binary
