// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/unpack.hpp"

#include "hooks/leak-check/bytes/sniff.hpp"
#include "hooks/leak-check/packed/decoder.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
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
  std::unique_ptr<Decoder> decoder; ///< where libarchive is to see what that unpacks
  std::uint64_t offset = 0;         ///< in `blob`; counts nothing with a decoder
  std::optional<Error> wrong = {};
  std::vector<char> buffer = std::vector<char>(piece);
};

la_ssize_t feed_read(archive* reader, void* data, const void** bytes) {
  Feed& feed = *static_cast<Feed*>(data);
  const auto count =
      feed.decoder ? feed.decoder->read(feed.buffer) : feed.blob.read(feed.offset, feed.buffer);
  if (!count) {
    feed.wrong = count.error();
    archive_set_error(reader, EIO, "%s", count.error().message.c_str());
    return ARCHIVE_FATAL;
  }
  *bytes = feed.buffer.data();
  feed.offset += feed.decoder ? 0 : *count;
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

tl::unexpected<Error> wrong(archive* reader, const Feed& feed) {
  if (feed.wrong)
    return tl::unexpected(*feed.wrong);
  const char* const reason = archive_error_string(reader);
  return failure(
      "it cannot be unpacked: " +
      std::string(reason == nullptr ? "it is damaged or of a kind that is not supported" : reason));
}

/// The compression of the member of a zip that was begun last: libarchive calls the format `ZIP 2.0 (lzma)`.
std::string_view compression_of(archive* reader) {
  const char* const name = archive_format_name(reader);
  std::string_view text = name == nullptr ? "" : name;
  if ((archive_format(reader) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_ZIP || !text.ends_with(')'))
    return {};
  text.remove_suffix(1);
  return text.substr(text.rfind('(') + 1);
}

class Member final : public PackedMember {
public:
  /// Keeps references. `feed` is of the file itself wherever that is a zip, so that where libarchive stands
  /// in it, the member's data begin.
  Member(archive* reader, archive_entry* entry, const Feed& feed, Memory& memory)
      : reader_(reader), entry_(entry), feed_(feed), hold_(memory) {
    const std::string_view compression = compression_of(reader);
    const la_int64_t at = archive_filter_bytes(reader, 0);
    if (compression.empty() || at < 0)
      return;
    const Blob data = feed.blob.part(static_cast<std::uint64_t>(at), feed.blob.size());
    decoder_ = member_decoder(compression, data, memory);
    fits_ = hold_.reach(zip_window(compression, data.beginning(longest_header)));
  }

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
    if (!fits_)
      return tl::unexpected(fits_.error());
    if (decoder_)
      return decoder_->read(into);
    const la_ssize_t count = archive_read_data(reader_, into.data(), into.size());
    if (count < 0)
      return wrong(reader_, feed_);
    return static_cast<std::size_t>(count);
  }

private:
  static constexpr std::size_t longest_header = 16;

  archive* reader_;
  archive_entry* entry_;
  const Feed& feed_;
  Hold hold_;
  Result<void> fits_ = {};
  std::unique_ptr<Decoder> decoder_;
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
bool is_cut_empty(archive* reader, const Feed& feed) {
  return archive_format(reader) == ARCHIVE_FORMAT_EMPTY && !feed.decoder &&
         (archive_filter_count(reader) < 2 || archive_errno(reader) != 0);
}

/// How libarchive is to take what it reads.
struct Taken {
  bool compressed = false; ///< by gzip or bzip2; what lies in that is opened by itself, not here
  bool plain = false;      ///< may be no archive, but any bytes that were compressed
  bool archives = true;
};

std::unique_ptr<archive, Free> make_reader(Feed& feed, const Taken& taken) {
  std::unique_ptr<archive, Free> reader(archive_read_new());
  archive* const raw = reader.get();
  if (raw == nullptr)
    return nullptr;
  if (taken.compressed) {
    archive_read_support_filter_gzip(raw);
    archive_read_support_filter_bzip2(raw);
  }
  archive_read_support_format_raw(raw);
  if (taken.archives)
    archive_read_support_format_tar(raw);
  else
    archive_read_support_format_empty(raw);
  if (taken.archives && !taken.plain)
    archive_read_support_format_zip(raw);
  // Names are bytes: without this a name outside of ASCII is lost in the C locale.
  archive_read_set_options(raw, "hdrcharset=BINARY");
  archive_read_set_options(raw, "read_concatenated_archives");
  archive_read_set_callback_data(raw, &feed);
  archive_read_set_read_callback(raw, feed_read);
  // A decoder has no places to go to: what is not wanted of it is read all the same.
  if (!feed.decoder) {
    archive_read_set_skip_callback(raw, feed_skip);
    archive_read_set_seek_callback(raw, feed_seek);
  }
  return reader;
}

Result<void> read_members(Feed feed, const Taken& taken, Memory& memory,
                          const std::function<bool(PackedMember&)>& visit) {
  const auto reader = make_reader(feed, taken);
  if (!reader)
    return failure("there is no memory to unpack it");
  if (archive_read_open1(reader.get()) != ARCHIVE_OK)
    return wrong(reader.get(), feed);
  for (;;) {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(reader.get(), &entry);
    if (code == ARCHIVE_EOF)
      return is_cut_empty(reader.get(), feed) ? wrong(reader.get(), feed) : Result<void>();
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
      return wrong(reader.get(), feed);
    // What no other reader takes is anything at all, so it must have been compressed at least.
    if (archive_format(reader.get()) == ARCHIVE_FORMAT_RAW && !feed.decoder &&
        archive_filter_count(reader.get()) < 2)
      return failure("it cannot be unpacked: it is damaged or of a kind that is not supported");
    Member member(reader.get(), entry, feed, memory);
    if (!visit(member))
      return {};
  }
}

/// What unpacks it, by its first bytes: `xz`, `gzip`, or nothing for archives and what is none of all.
std::string_view compression_of(const Blob& packed) {
  const std::string beginning = packed.beginning(sniffed_bytes);
  const Sniffed sniffed = sniff(beginning);
  if (sniffed.content == Content::packed)
    return sniffed.format == "zip" || sniffed.format == "tar" ? std::string_view() : sniffed.format;
  // Whoever calls knows it to be packed, by its name or as a zip by its end.
  return sniffed.content == Content::other && can_be_lzma(beginning) && !has_end(packed) ? "lzma" : "";
}

} // namespace

Result<void> unpack(const Blob& packed, Memory& memory, const std::function<bool(PackedMember&)>& visit) {
  const std::string_view compression = compression_of(packed);
  const auto feed = [&] { return Feed{packed, file_decoder(compression, packed, memory)}; };
  const bool is_zip = packed.beginning(2) == "PK";
  Taken taken;
  taken.plain = !compression.empty();
  taken.compressed = compression == "gzip" || compression == "bzip2";
  bool any = false;
  auto read = read_members(feed(), taken, memory, [&](PackedMember& member) {
    any = true;
    return visit(member);
  });
  // To the reader of tar whatever begins with a block of zeros is an archive, without members or damaged.
  if (!any && !is_zip) {
    taken.archives = false;
    read = read_members(feed(), taken, memory, visit);
  }
  if (read && is_zip && !has_end(packed))
    return failure("it is cut short: it has no directory of its members");
  return read;
}

} // namespace hostpin
