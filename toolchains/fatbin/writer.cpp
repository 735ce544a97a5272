// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/writer.hpp"

#include "toolchains/binary/compress.hpp"
#include "toolchains/binary/decompress.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

namespace hostpin::fatbin {

namespace {

using binary::DeviceCode;
using binary::DeviceCodeHead;
using binary::DevicePacking;

// As in binary/fatbin.cpp, with the bits that only a writer needs. fatbinary 11.2 to 13.0 sets `debug` for
// -g, and `encrypted` for compressed LTO-IR.
constexpr std::size_t header_at = 6, content_at = 8, payload_at = 8, packed_at = 0x10, flags_at = 0x28,
                      unpacked_at = 0x38;
constexpr std::uint64_t flag_debug = 0x2, flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_encrypted = 0x1'0000;

/// A real entry has at most some hundred megabytes; a damaged one may expand to anything.
constexpr std::uint64_t most_code = std::uint64_t{4} << 30U;

/// zstd levels whose output has the size of that of fatbinary 13.0, within one per cent.
constexpr int balance_level = 5, size_level = 19;

template <typename Number>
void put_little(std::string& bytes, std::size_t at, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    bytes[at + i] = static_cast<char>(value >> 8U * i & 0xffU);
}

std::string padded(std::string bytes) {
  constexpr std::size_t alignment = binary::FatbinHead::alignment;
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
  return bytes;
}

class Collected final : public binary::Target {
public:
  explicit Collected(std::size_t limit) : limit_(limit) {}

  std::span<char> space() override {
    if (size_ == bytes_.size())
      bytes_.resize(std::min(limit_, size_ * 2 + step) + 1);
    return std::span(bytes_).subspan(size_);
  }
  bool advance(std::size_t count) override {
    size_ += count;
    return size_ <= limit_;
  }
  std::string taken() {
    bytes_.resize(size_);
    return std::move(bytes_);
  }

private:
  static constexpr std::size_t step = std::size_t{64} << 10U;
  std::size_t limit_, size_ = 0;
  std::string bytes_;
};

struct Parts {
  DeviceCodeHead head;
  std::uint64_t flags = 0;
  std::string_view header, payload;
};

Result<Parts> parts_of(std::string_view entry) {
  const auto head = binary::device_code_head(entry);
  if (!head || head->header > entry.size() || head->payload > entry.size() - head->header)
    return failure("an entry of a fatbin is truncated");
  const std::string_view header = entry.substr(0, static_cast<std::size_t>(head->header));
  std::uint64_t flags = 0;
  if (header.size() >= DeviceCodeHead::bytes)
    for (std::size_t i = 0; i < sizeof flags; ++i)
      flags |= std::uint64_t{static_cast<unsigned char>(header[flags_at + i])} << 8U * i;
  return Parts{*head, flags, header, entry.substr(header.size(), static_cast<std::size_t>(head->payload))};
}

/// PTX ends with its first zero byte.
std::string without_padding(DeviceCode code, std::string_view bytes) {
  if (code == DeviceCode::ptx)
    bytes = bytes.substr(0, std::min(bytes.size(), bytes.find_last_not_of('\0') + 2));
  return std::string(bytes);
}

Result<std::string> code_of(const Parts& entry) {
  if ((entry.flags & flag_encrypted) != 0)
    return failure("the code of a fatbin's entry is encrypted");
  if (entry.head.packing == DevicePacking::none)
    return without_padding(entry.head.code, entry.payload);
  if (entry.head.unpacked > most_code)
    return failure("an entry of a fatbin has more code than any real one");
  const auto size = static_cast<std::size_t>(entry.head.unpacked);
  const binary::Blob packed(std::string(entry.payload.substr(0, static_cast<std::size_t>(entry.head.size))));
  Collected code(size);
  binary::Inflater inflater;
  const auto read =
      entry.head.packing == DevicePacking::lz4 ? inflater.lz4(packed, code) : inflater.zstd(packed, code);
  if (!read)
    return failure("an entry of a fatbin cannot be decompressed: " + read.error().message);
  std::string bytes = code.taken();
  if (bytes.size() != size)
    return failure("an entry of a fatbin does not decompress to the size in its header");
  return bytes;
}

/// Machine code of a program, which fatbinary compresses in some modes only.
bool is_final(const Parts& entry, std::string_view code) {
  constexpr std::size_t type_at = 16; // e_type of ELF
  constexpr char relocatable = 1;
  return entry.head.code == DeviceCode::cubin && (entry.flags & flag_debug) == 0 &&
         !(code.starts_with("\x7f"
                            "ELF") &&
           code.size() > type_at && code[type_at] == relocatable);
}

/// The compression of such code in such a mode.
DevicePacking packing_in(Compression compression, const Parts& entry, std::string_view code) {
  const bool is_plain = !compression.all && is_final(entry, code);
  switch (compression.mode) {
  case CompressMode::speed:
    return is_plain ? DevicePacking::none : DevicePacking::lz4;
  case CompressMode::balance:
    return is_plain ? DevicePacking::none : DevicePacking::zstd;
  case CompressMode::size:
    return DevicePacking::zstd;
  case CompressMode::none:
    break;
  }
  return DevicePacking::none;
}

Result<std::string> compressed(std::string_view code, DevicePacking packing, CompressMode mode) {
  if (packing == DevicePacking::lz4)
    return binary::lz4_block(code);
  return binary::zstd_frame(code, mode == CompressMode::size ? size_level : balance_level);
}

std::string entry_of(const Parts& as, std::string payload, DevicePacking packing, std::uint64_t unpacked) {
  const bool is_packed = packing != DevicePacking::none;
  std::string entry(as.header);
  put_little(entry, packed_at, static_cast<std::uint32_t>(is_packed ? payload.size() : 0));
  put_little(entry, unpacked_at, is_packed ? unpacked : 0);
  put_little(entry, flags_at,
             (as.flags & ~(flag_lz4 | flag_zstd)) | (packing == DevicePacking::lz4    ? flag_lz4
                                                     : packing == DevicePacking::zstd ? flag_zstd
                                                                                      : 0));
  payload = padded(std::move(payload));
  put_little(entry, payload_at, std::uint64_t{payload.size()});
  return entry + payload;
}

} // namespace

std::optional<CompressMode> compress_mode_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, CompressMode>, 4> names{
      {{"none", CompressMode::none},
       {"speed", CompressMode::speed},
       {"balance", CompressMode::balance},
       {"size", CompressMode::size}}};
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == name; });
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::string fatbin_of_entries(const std::vector<std::string_view>& entries) {
  std::string bytes("\x50\xED\x55\xBA\x01\0", 6);
  bytes.resize(binary::FatbinHead::bytes);
  for (const std::string_view entry : entries)
    bytes += entry;
  put_little(bytes, header_at, static_cast<std::uint16_t>(binary::FatbinHead::bytes));
  put_little(bytes, content_at, std::uint64_t{bytes.size() - binary::FatbinHead::bytes});
  return bytes;
}

Result<std::string> code_of_entry(std::string_view entry) {
  auto parts = parts_of(entry);
  return parts ? code_of(*parts) : tl::unexpected(std::move(parts.error()));
}

Result<std::string> recompressed(std::string_view entry, Compression compression) {
  TRY_ASSIGN(const auto parts, parts_of(entry));
  const bool is_loaded = parts.head.code == DeviceCode::cubin || parts.head.code == DeviceCode::ptx;
  if (!is_loaded || parts.header.size() < DeviceCodeHead::bytes || (parts.flags & flag_encrypted) != 0)
    return std::string(entry);
  auto code = code_of(parts);
  if (!code)
    return code;
  const DevicePacking packing = packing_in(compression, parts, *code);
  if (packing != DevicePacking::none && code->size() <= std::numeric_limits<std::uint32_t>::max() / 2) {
    auto payload = compressed(*code, packing, compression.mode);
    if (!payload)
      return payload;
    if (payload->size() < code->size())
      return entry_of(parts, *std::move(payload), packing, code->size());
  }
  return entry_of(parts, *std::move(code), DevicePacking::none, 0);
}

} // namespace hostpin::fatbin
