// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/file_scan.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace hostpin::leak {

namespace {

constexpr std::uint64_t window = std::uint64_t{1} << 20U; // of a script, scanned at once
constexpr std::uint64_t end_record = 22, locator = 20, longest_comment = 65535;

bool is_packed(const Sniffed& sniffed) {
  return sniffed.content == Content::packed || sniffed.content == Content::closed;
}

/// Characters that no script has, except terminal escapes.
bool is_binary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\x1b' && (byte < 0x08 || byte > 0x0d);
}
/// The record of a zip64 directly before its locator; a closed payload if it is elsewhere or inconsistent.
Payload zip64_before(const binary::Blob& file, std::uint64_t locator_at) {
  constexpr std::uint64_t record_size = 56;
  Payload closed{locator_at, file, {Content::closed, "zip64"}};
  if (locator_at < record_size)
    return closed;
  const std::uint64_t record_at = locator_at - record_size;
  const std::string bytes = file.part(record_at, record_size).beginning(record_size);
  const binary::ElfBytes record(bytes, true, true);
  const auto size = record.number(40, 8), offset = record.number(48, 8);
  if (!bytes.starts_with("PK\6\6") || !size || !offset || *size > record_at || *offset > record_at - *size ||
      file.part(record_at - *size, 4).beginning(4) != "PK\1\2")
    return closed;
  const std::uint64_t begin = record_at - *size - *offset;
  return Payload{begin, file.part(begin, file.size()), {Content::packed, "zip"}};
}

/// Verifies the record at `at` of `tail`: its comment must end the file, and the directory of members must be
/// directly before it.
std::optional<Payload> zip_by_record(const binary::Blob& file, std::string_view tail, std::size_t at) {
  const binary::ElfBytes record(tail.substr(at), true, true);
  const auto directory_size = record.number(12, 4);
  const auto directory_offset = record.number(16, 4);
  const auto comment = record.number(20, 2);
  if (!directory_size || !directory_offset || !comment || at + end_record + *comment != tail.size())
    return std::nullopt;
  const std::uint64_t record_at = file.size() - tail.size() + at;
  if (record_at >= locator && file.part(record_at - locator, 4).beginning(4) == "PK\6\7")
    return zip64_before(file, record_at - locator);
  if (*directory_size > record_at)
    return std::nullopt;
  const std::uint64_t directory = record_at - *directory_size;
  if (*directory_offset > directory || file.part(directory, 4).beginning(4) != "PK\1\2")
    return std::nullopt;
  // Offsets count from the beginning of the zip, or, if they were adjusted, from that of the file.
  const std::uint64_t begin = directory - *directory_offset;
  return Payload{begin, file.part(begin, file.size()), {Content::packed, "zip"}};
}

std::optional<Payload> zip_at_end(const binary::Blob& file, bool with_comment) {
  if (file.size() < end_record)
    return std::nullopt;
  const std::uint64_t size = std::min(file.size(), end_record + (with_comment ? longest_comment : 0));
  const std::string tail = file.part(file.size() - size, size).beginning(static_cast<std::size_t>(size));
  for (std::size_t at = tail.rfind("PK\5\6"); at != std::string::npos;
       at = at == 0 ? std::string::npos : tail.rfind("PK\5\6", at - 1))
    if (auto zip = zip_by_record(file, tail, at))
      return zip;
  return std::nullopt;
}

/// A payload that begins at the beginning of a line. `bytes`: a window, and what is needed to recognize a
/// format at its end.
std::optional<Payload> in_window(const binary::Blob& file, std::uint64_t offset, std::string_view bytes) {
  constexpr std::size_t meant = 64; // every header has a binary byte among that many
  std::size_t binary = 0;           // position of the first one in or after the line
  for (std::size_t end = bytes.find('\n'); end < window; end = bytes.find('\n', end + 1)) {
    const std::size_t line = end + 1;
    for (binary = std::max(binary, line); binary < bytes.size() && !is_binary(bytes[binary]);)
      ++binary;
    if (binary == bytes.size())
      break;
    if (binary - line >= meant)
      continue;
    if (const Sniffed sniffed = sniff(bytes.substr(line, sniffed_bytes)); is_packed(sniffed))
      return Payload{offset + line, file.part(offset + line, file.size()), sniffed};
  }
  if (const std::size_t nul = bytes.substr(0, window).find('\0'); nul != std::string_view::npos)
    return Payload{
        offset + nul, file.part(offset + nul, file.size()), {Content::closed, "binary of an unknown kind"}};
  return std::nullopt;
}

std::optional<Payload> after_script(const binary::Blob& file) {
  for (std::uint64_t offset = 0; offset < file.size(); offset += window) {
    const binary::Blob part = file.part(offset, window + sniffed_bytes);
    const std::string bytes = part.beginning(static_cast<std::size_t>(part.size()));
    if (auto payload = in_window(file, offset, bytes))
      return payload;
  }
  return std::nullopt;
}

/// The end of the last section or of the section table; nothing for a file without sections.
std::optional<std::uint64_t> end_of(const ElfFrame& frame) {
  if (frame.sections.empty())
    return std::nullopt;
  std::uint64_t end = frame.table_end;
  for (const ElfSection& section : frame.sections)
    end = std::max(end, section.offset + std::min(section.size, ~section.offset));
  return end;
}

/// Whether a file has bytes after those that its own ELF tables cover. Most have none, and need no search for
/// a zip with a comment.
bool has_trailing_bytes(const ScanItem& item) {
  if (!item.frame)
    return false;
  const auto end = end_of(*item.frame);
  return !end || *end < item.blob.size();
}

std::optional<Payload> after_elf(const binary::Blob& file, const ElfFrame& frame) {
  if (file.beginning(sniffed_bytes).find("UPX!") != std::string::npos)
    return Payload{0, file, {Content::closed, "a program packed by UPX"}};
  const auto end = end_of(frame);
  if (!end || *end >= file.size())
    return std::nullopt;
  const binary::Blob rest = file.part(*end, file.size());
  const Sniffed sniffed = sniff(rest.beginning(sniffed_bytes));
  return is_packed(sniffed) ? std::optional(Payload{*end, rest, sniffed}) : std::nullopt;
}

} // namespace

std::optional<Payload> payload_of(const ScanItem& item) {
  const bool is_script = item.sniffed.content == Content::script;
  if (auto zip = zip_at_end(item.blob, is_script || has_trailing_bytes(item)))
    return zip;
  if (is_script)
    return after_script(item.blob);
  return item.frame ? after_elf(item.blob, *item.frame) : std::nullopt;
}

} // namespace hostpin::leak
