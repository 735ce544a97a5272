// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/zip.hpp"

#include "toolchains/archive/reader.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin {

namespace {

constexpr std::size_t local_header = 30;
constexpr std::uint64_t utf8_name = 1U << 11U; // a flag

std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i > 0; --i)
    value = value << 8U | static_cast<unsigned char>(bytes[at + i - 1]);
  return value;
}

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

} // namespace

struct ZipReader::State {
  explicit State(const binary::Blob& zip) : feed(zip) {}

  BlobFeed feed;
  ArchiveReader reader = archive_reader(archive_zip);
  std::uint64_t expected = 0, got = 0; ///< bytes of the current member

  tl::unexpected<Error> error() const {
    if (feed.trouble())
      return tl::unexpected(*feed.trouble());
    return failure(escaped(archive_reason(reader.get(), "it is damaged")));
  }
};

ZipReader::ZipReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZipReader::~ZipReader() = default;

Result<std::unique_ptr<ZipReader>> ZipReader::open(const binary::Blob& zip) {
  auto state = std::make_unique<State>(zip);
  archive* const raw = state->reader.get();
  if (raw == nullptr)
    return failure("there is not enough memory to open it");
  state->feed.attach(raw);
  if (archive_read_open1(raw) != ARCHIVE_OK)
    return state->error();
  return std::unique_ptr<ZipReader>(new ZipReader(std::move(state)));
}

Result<std::optional<ZipEntry>> ZipReader::next() {
  archive* const reader = state_->reader.get();
  archive_entry* entry = nullptr;
  const int code = archive_read_next_header(reader, &entry);
  if (code == ARCHIVE_EOF)
    return std::optional<ZipEntry>();
  if (code != ARCHIVE_OK)
    return state_->error();
  const char* const name = archive_entry_pathname(entry);
  ZipEntry one{name == nullptr ? "" : name,
               static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(entry), 0)),
               archive_entry_mtime(entry), archive_entry_filetype(entry) == AE_IFDIR};
  if (!is_installable_name(one.name))
    return failure("its member " + escaped(one.name) + " is not below the directory that it is installed to");
  if (archive_entry_is_encrypted(entry) != 0)
    return failure("its member " + escaped(one.name) + " is encrypted");
  if (!one.is_directory && archive_entry_filetype(entry) != AE_IFREG)
    return failure("its member " + escaped(one.name) + " is not a file; wheels have no links");
  state_->expected = archive_entry_size_is_set(entry) != 0 ? one.size : 0;
  state_->got = 0;
  return std::optional(std::move(one));
}

Result<std::size_t> ZipReader::read(std::span<char> into) {
  const la_ssize_t count = archive_read_data(state_->reader.get(), into.data(), into.size());
  if (count < 0) // a wrong CRC or size is only a warning of libarchive
    return state_->error();
  state_->got += static_cast<std::uint64_t>(count);
  if (state_->got > state_->expected || (count == 0 && state_->got != state_->expected))
    return failure("a member has another size than its header");
  return static_cast<std::size_t>(count);
}

namespace {

struct Directory {
  std::uint64_t count = 0, size = 0, offset = 0;
  std::uint64_t end = 0; ///< of the directory, where its end record begins
};

/// The end records: fields that do not fit are in those of zip64.
Result<Directory> find_directory(const binary::Blob& zip) {
  constexpr std::uint64_t longest_comment = 65535, record = 22, locator = 20, wide_record = 56;
  const std::uint64_t tail = std::min(zip.size(), longest_comment + record + locator);
  const std::string bytes = zip.part(zip.size() - tail, tail).beginning(static_cast<std::size_t>(tail));
  const std::size_t at = bytes.rfind("PK\5\6");
  if (at == std::string::npos || at + record > bytes.size())
    return failure("it is not a zip, or cut short: it has no central directory");
  const std::uint64_t end = zip.size() - tail + at;
  const Directory narrow{little(bytes, at + 10, 2), little(bytes, at + 12, 4), little(bytes, at + 16, 4),
                         end};
  const bool has_locator =
      at >= locator && std::string_view(bytes).substr(at - locator).starts_with("PK\6\7");
  if (!has_locator)
    return narrow;
  const std::uint64_t begin = std::min(little(bytes, at - locator + 8, 8), zip.size());
  const std::string wide = zip.part(begin, wide_record).beginning(wide_record);
  if (begin + wide_record + locator != end || !wide.starts_with("PK\6\6"))
    return failure("the end of its central directory is damaged");
  return Directory{little(wide, 32, 8), little(wide, 40, 8), little(wide, 48, 8), begin};
}

/// Takes the fields of zip64's extra field that do not fit into 32 bits.
void widen(std::string_view extra, DirectoryEntry& entry) {
  constexpr std::uint64_t in_extra = 0xffffffff;
  constexpr std::size_t header = 4;
  while (extra.size() >= header) {
    const std::uint64_t kind = little(extra, 0, 2);
    const auto size = static_cast<std::size_t>(little(extra, 2, 2));
    if (size > extra.size() - header)
      return;
    std::string_view fields = extra.substr(header, size);
    extra.remove_prefix(header + size);
    if (kind != 1)
      continue;
    for (std::uint64_t* const field : {&entry.size, &entry.packed, &entry.offset})
      if (*field == in_extra && fields.size() >= 8) {
        *field = little(fields, 0, 8);
        fields.remove_prefix(8);
      }
  }
}

/// Whether an extra field has another name for the member (Info-ZIP's Unicode path), which installers with
/// Python 3.12 and newer go by.
bool has_other_name(std::string_view extra, std::string_view name) {
  constexpr std::size_t header = 4, before_name = 5; // its version, and a CRC of the header's name
  constexpr std::uint64_t unicode_path = 0x7075;
  while (extra.size() >= header) {
    const auto size = std::min(static_cast<std::size_t>(little(extra, 2, 2)), extra.size() - header);
    if (little(extra, 0, 2) == unicode_path && size > before_name &&
        extra.substr(header + before_name, size - before_name) != name)
      return true;
    extra.remove_prefix(header + size);
  }
  return false;
}

Result<std::vector<DirectoryEntry>> read_directory(std::string_view bytes, std::uint64_t count) {
  constexpr std::size_t header = 46;
  std::vector<DirectoryEntry> entries;
  while (bytes.size() >= header && bytes.starts_with("PK\1\2")) {
    const auto name = static_cast<std::size_t>(little(bytes, 28, 2)),
               extra = static_cast<std::size_t>(little(bytes, 30, 2)),
               comment = static_cast<std::size_t>(little(bytes, 32, 2));
    if (bytes.size() < header + name + extra + comment)
      return failure("its central directory is damaged");
    DirectoryEntry entry{std::string(bytes.substr(header, name)), little(bytes, 42, 4), little(bytes, 20, 4),
                         little(bytes, 24, 4)};
    entry.crc = static_cast<std::uint32_t>(little(bytes, 16, 4));
    entry.method = static_cast<unsigned>(little(bytes, 10, 2));
    entry.is_executable = (little(bytes, 40, 2) & 0111U) != 0;
    entry.is_utf8 = (little(bytes, 8, 2) & utf8_name) != 0 || is_ascii(entry.name);
    if (!is_installable_name(entry.name))
      return failure("its member " + escaped(entry.name) +
                     " is not below the directory that it is installed to");
    if (has_other_name(bytes.substr(header + name, extra), entry.name))
      return failure("its member " + escaped(entry.name) + " has another name in an extra field",
                     "pack it again: python -m wheel unpack, then python -m wheel pack");
    widen(bytes.substr(header + name, extra), entry);
    entries.push_back(std::move(entry));
    bytes.remove_prefix(header + name + extra + comment);
  }
  if (entries.size() != count)
    return failure("its central directory has another number of members than it says");
  return entries;
}

/// Whether the header in front of a member has the same name and method.
bool agrees(const binary::Blob& zip, const DirectoryEntry& entry) {
  const std::size_t size = local_header + entry.name.size();
  const std::string bytes = zip.part(entry.offset, size).beginning(size);
  return bytes.size() == size && bytes.starts_with("PK\3\4") && little(bytes, 8, 2) == entry.method &&
         little(bytes, 26, 2) == entry.name.size() && bytes.ends_with(entry.name);
}

} // namespace

Result<std::vector<DirectoryEntry>> central_directory(const binary::Blob& zip) {
  constexpr std::uint64_t most = std::uint64_t{256} << 20U;
  TRY_ASSIGN(const auto directory, find_directory(zip));
  if (directory.size > most || directory.offset > zip.size() ||
      directory.size > zip.size() - directory.offset)
    return failure("its central directory is outside of the file, or larger than 256 MB");
  // Python takes what is directly in front of the end record, whatever offset that has.
  if (directory.offset + directory.size != directory.end)
    return failure(
        "its central directory is not where its end record is, so that installers may read another one",
        "pack it again: python -m wheel unpack, then python -m wheel pack");
  const std::string bytes =
      zip.part(directory.offset, directory.size).beginning(static_cast<std::size_t>(directory.size));
  auto entries = read_directory(bytes, directory.count);
  if (!entries)
    return entries;
  std::stable_sort(entries->begin(), entries->end(),
                   [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.offset < b.offset; });
  std::uint64_t end = 0;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.offset < end || entry.offset > directory.offset ||
        entry.packed > directory.offset - entry.offset)
      return failure("its member " + escaped(entry.name) + " overlaps another one, or the central directory");
    if (!agrees(zip, entry))
      return failure("its member " + escaped(entry.name) +
                     " has another header than the central directory says");
    end = entry.offset + local_header + entry.name.size() + entry.packed;
  }
  return entries;
}

bool is_installable_name(std::string_view name) {
  if (name.ends_with('/'))
    name.remove_suffix(1);
  if (name.empty() || name.starts_with('/'))
    return false;
  const bool is_plain = std::none_of(
      name.begin(), name.end(), [](char c) { return c == '\\' || static_cast<unsigned char>(c) < 0x20; });
  const std::vector<std::string> parts = split(name, "/");
  return is_plain && std::none_of(parts.begin(), parts.end(), [](const std::string& part) {
           return part.empty() || part == "." || part == "..";
         });
}

} // namespace hostpin
