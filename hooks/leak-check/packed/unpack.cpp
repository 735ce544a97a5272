// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/unpack.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

namespace hostpin {

namespace {

constexpr std::size_t piece = std::size_t{64} << 10U;

/// What libarchive's callbacks get.
struct Feed {
  const Blob& blob;
  std::uint64_t offset = 0;
  std::vector<char> buffer = std::vector<char>(piece);
};

la_ssize_t feed_read(archive* reader, void* data, const void** bytes) {
  Feed& feed = *static_cast<Feed*>(data);
  const auto count = feed.blob.read(feed.offset, feed.buffer);
  if (!count) {
    archive_set_error(reader, EIO, "%s", count.error().message.c_str());
    return ARCHIVE_FATAL;
  }
  *bytes = feed.buffer.data();
  feed.offset += *count;
  return static_cast<la_ssize_t>(*count);
}

la_int64_t feed_skip(archive* /*reader*/, void* data, la_int64_t request) {
  Feed& feed = *static_cast<Feed*>(data);
  const std::uint64_t left = feed.blob.size() - std::min(feed.offset, feed.blob.size());
  const std::uint64_t skipped = std::min(left, static_cast<std::uint64_t>(std::max<la_int64_t>(request, 0)));
  feed.offset += skipped;
  return static_cast<la_int64_t>(skipped);
}

la_int64_t feed_seek(archive* /*reader*/, void* data, la_int64_t offset, int whence) {
  Feed& feed = *static_cast<Feed*>(data);
  const auto size = static_cast<la_int64_t>(feed.blob.size());
  const la_int64_t from = whence == SEEK_SET   ? 0
                          : whence == SEEK_END ? size
                                               : static_cast<la_int64_t>(feed.offset);
  // Offsets come from the file itself.
  const la_int64_t wanted = offset > size    ? size
                            : offset < -size ? 0
                                             : std::clamp<la_int64_t>(from + offset, 0, size);
  feed.offset = static_cast<std::uint64_t>(wanted);
  return wanted;
}

tl::unexpected<Error> wrong(archive* reader) {
  const char* const reason = archive_error_string(reader);
  return failure(
      "it cannot be unpacked: " +
      std::string(reason == nullptr ? "it is damaged or of a kind that is not supported" : reason));
}

class Member final : public PackedMember {
public:
  Member(archive* reader, archive_entry* entry) : reader_(reader), entry_(entry) {}

  std::string name() const override {
    const char* name = archive_entry_pathname(entry_);
    if (name == nullptr)
      name = archive_entry_pathname_utf8(entry_);
    // The reader of what is merely compressed calls everything `data`.
    return name == nullptr || archive_format(reader_) == ARCHIVE_FORMAT_RAW ? std::string() : name;
  }
  std::optional<std::string> link_target() const override {
    const char* target = archive_entry_symlink(entry_);
    if (target == nullptr)
      target = archive_entry_symlink_utf8(entry_);
    return target == nullptr ? std::nullopt : std::optional<std::string>(target);
  }
  bool is_file() const override {
    return archive_entry_filetype(entry_) == AE_IFREG || archive_format(reader_) == ARCHIVE_FORMAT_RAW;
  }
  Result<std::size_t> read(std::span<char> into) override {
    if (archive_entry_is_encrypted(entry_) != 0)
      return failure("it is encrypted");
    const la_ssize_t count = archive_read_data(reader_, into.data(), into.size());
    if (count < 0)
      return wrong(reader_);
    return static_cast<std::size_t>(count);
  }

private:
  archive* reader_;
  archive_entry* entry_;
};

struct Free {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

/// Whether a zip has the record that ends it. Without, members are read one by one until there is no next
/// one, and nobody would notice that some are missing.
bool has_end(const Blob& zip) {
  constexpr std::uint64_t longest_comment = 65535;
  constexpr std::uint64_t record = 22;
  const std::uint64_t tail = std::min(zip.size(), longest_comment + record);
  const std::size_t begin = zip.part(zip.size() - tail, tail).beginning(tail).rfind("PK\5\6");
  return begin != std::string::npos && begin + record <= tail;
}

/// What gives no byte at all is empty to libarchive, whatever the reason: a stream that is cut, or one of
/// nothing.
bool is_cut_empty(archive* reader) {
  return archive_format(reader) == ARCHIVE_FORMAT_EMPTY &&
         (archive_filter_count(reader) < 2 || archive_errno(reader) != 0);
}

enum class Formats { all, raw };

std::unique_ptr<archive, Free> make_reader(Feed& feed, Formats formats) {
  std::unique_ptr<archive, Free> reader(archive_read_new());
  archive* const raw = reader.get();
  if (raw == nullptr)
    return nullptr;
  for (const auto support :
       {archive_read_support_filter_gzip, archive_read_support_filter_bzip2, archive_read_support_filter_xz,
        archive_read_support_filter_lzma, archive_read_support_filter_zstd, archive_read_support_format_raw})
    support(raw);
  if (formats == Formats::all) {
    archive_read_support_format_tar(raw);
    archive_read_support_format_zip(raw);
  } else {
    archive_read_support_format_empty(raw);
  }
  // Names are bytes: without this a name outside of ASCII is lost in the C locale.
  archive_read_set_options(raw, "hdrcharset=BINARY");
  archive_read_set_options(raw, "read_concatenated_archives");
  archive_read_set_callback_data(raw, &feed);
  archive_read_set_read_callback(raw, feed_read);
  archive_read_set_skip_callback(raw, feed_skip);
  archive_read_set_seek_callback(raw, feed_seek);
  return reader;
}

Result<void> read_members(const Blob& packed, Formats formats,
                          const std::function<bool(PackedMember&)>& visit) {
  Feed feed{packed};
  const auto reader = make_reader(feed, formats);
  if (!reader)
    return failure("there is no memory to unpack it");
  if (archive_read_open1(reader.get()) != ARCHIVE_OK)
    return wrong(reader.get());
  for (;;) {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(reader.get(), &entry);
    if (code == ARCHIVE_EOF)
      return is_cut_empty(reader.get()) ? wrong(reader.get()) : Result<void>();
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
      return wrong(reader.get());
    // What no other reader takes is anything at all, so it must have been compressed at least.
    if (archive_format(reader.get()) == ARCHIVE_FORMAT_RAW && archive_filter_count(reader.get()) < 2)
      return failure("it cannot be unpacked: it is damaged or of a kind that is not supported");
    Member member(reader.get(), entry);
    if (!visit(member))
      return {};
  }
}

constexpr std::size_t longest_header = 64;

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i > 0; --i)
    value = (value << 8U) | static_cast<unsigned char>(at + i <= bytes.size() ? bytes[at + i - 1] : '\0');
  return value;
}

/// Of the first block's header (the .xz file format, 3.1 and 5.3.1): the dictionary of its last filter.
std::uint64_t xz_window(std::string_view bytes) {
  constexpr std::size_t block = 12; // behind the stream's header
  const std::uint64_t flags = number(bytes, block + 1, 1);
  std::size_t at = block + 2;
  const auto skip_number = [&] {
    while (at < bytes.size() && (number(bytes, at, 1) & 0x80U) != 0)
      ++at;
    ++at;
  };
  for (const std::uint64_t is_there : {flags & 0x40U, flags & 0x80U})
    if (is_there != 0)
      skip_number();
  constexpr std::uint64_t lzma2 = 0x21;
  for (std::uint64_t filter = 0; filter <= (flags & 3U); ++filter) {
    const std::uint64_t id = number(bytes, at++, 1), size = number(bytes, at++, 1);
    const std::uint64_t bits = number(bytes, at, 1);
    if (id == lzma2)
      return bits > 40 ? 0 : bits == 40 ? ~std::uint32_t{0} : (2U | (bits & 1U)) << (bits / 2 + 11);
    at += static_cast<std::size_t>(size);
  }
  return 0;
}

/// Of a frame's header (RFC 8878, 3.1.1.1).
std::uint64_t zstd_window(std::string_view bytes) {
  const std::uint64_t descriptor = number(bytes, 4, 1);
  if ((descriptor & 0x20U) == 0) {
    const std::uint64_t window = number(bytes, 5, 1), base = std::uint64_t{1} << (10 + (window >> 3U));
    return base + base / 8 * (window & 7U);
  }
  constexpr std::array<std::size_t, 4> dictionary = {0, 1, 2, 4}, content = {1, 2, 4, 8};
  const std::size_t size = content[descriptor >> 6U];
  return number(bytes, 5 + dictionary[descriptor & 3U], size) + (size == 2 ? 256 : 0);
}

} // namespace

std::uint64_t window_of(std::string_view beginning) {
  using namespace std::string_view_literals;
  if (beginning.starts_with("\xfd"
                            "7zXZ\0"sv))
    return xz_window(beginning);
  if (beginning.starts_with("\x28\xb5\x2f\xfd"sv))
    return zstd_window(beginning);
  return beginning.starts_with("\x5d\0"sv) ? number(beginning, 1, 4) : 0;
}

namespace {

/// Without frames that are to be skipped (RFC 8878, 3.1.2), which libarchive takes for no zstd at all.
Blob behind_skippable(const Blob& packed) {
  constexpr std::uint64_t header = 8;
  constexpr int most = 1000; // libarchive is left to refuse what has more
  std::uint64_t begin = 0;
  for (int skipped = 0; skipped < most; ++skipped) {
    const std::string bytes = packed.part(begin, header).beginning(header);
    if (bytes.size() < header || (number(bytes, 0, 4) & 0xfffffff0U) != 0x184d2a50U)
      break;
    begin += header + number(bytes, 4, 4);
  }
  return packed.part(begin, packed.size());
}

} // namespace

Result<void> unpack(const Blob& all, std::uint64_t window, const std::function<bool(PackedMember&)>& visit) {
  const Blob packed = behind_skippable(all);
  constexpr std::uint64_t megabyte = std::uint64_t{1} << 20U;
  if (const std::uint64_t needed = window_of(packed.beginning(longest_header)); needed > window) {
    const std::string size = std::to_string((needed + megabyte - 1) / megabyte) + "M";
    return failure("unpacking it takes " + size + " of memory; --memory " + size + " allows that");
  }
  const bool is_zip = packed.beginning(2) == "PK";
  bool any = false;
  auto read = read_members(packed, Formats::all, [&](PackedMember& member) {
    any = true;
    return visit(member);
  });
  // To the reader of tar whatever begins with a block of zeros is an archive, without members or damaged.
  if (!any && !is_zip)
    read = read_members(packed, Formats::raw, visit);
  if (read && is_zip && !has_end(packed))
    return failure("it is cut short: it has no directory of its members");
  return read;
}

} // namespace hostpin
