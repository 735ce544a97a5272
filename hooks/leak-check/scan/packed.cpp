// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/packed.hpp"

#include "hooks/leak-check/scan/sniff.hpp"
#include "toolchains/archive/reader.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <lzma.h>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace hostpin::leak {

namespace {

constexpr std::uint64_t most_window = std::uint64_t{1} << 30U; // libarchive's limit for xz files

/// libarchive recognises an lzma file only by the dictionaries that encoders write, powers of two up to 128
/// MB. A larger dictionary than necessary does not change the result.
void round_up_dictionary(std::span<char> beginning) {
  if (beginning.size() <= 4)
    return;
  const auto bytes = beginning.subspan<1, 4>();
  constexpr std::uint32_t least = 1U << 12U, most = 1U << 27U;
  std::uint32_t size = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    size = (size << 8U) | static_cast<unsigned char>(bytes[i - 1]);
  if (size > most)
    return;
  size = std::bit_ceil(std::max(size, least));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(size >> (8 * i));
}

tl::unexpected<Error> wrong(archive* reader, const BlobFeed& feed) {
  if (feed.trouble())
    return tl::unexpected(*feed.trouble());
  return failure("it cannot be opened: " +
                 archive_reason(reader, "it is damaged or of a kind that is not supported"));
}

/// Whether the current member of a zip has a dictionary of up to 4 GB: libarchive calls the format `ZIP 2.0
/// (lzma)`, and does not limit it.
bool has_unbounded_window(archive* reader) {
  const char* const name = archive_format_name(reader);
  const std::string_view text = name == nullptr ? "" : name;
  return (archive_format(reader) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP &&
         (text.ends_with("(lzma)") || text.ends_with("(xz)"));
}

class Member final : public PackedMember {
public:
  /// Stores references.
  Member(archive* reader, archive_entry* entry, const BlobFeed& feed)
      : reader_(reader), entry_(entry), feed_(feed),
        most_(has_unbounded_window(reader) ? most_window : ~std::uint64_t{0}) {}

  std::string name() const override {
    const char* name = archive_entry_pathname(entry_);
    if (name == nullptr)
      name = archive_entry_pathname_utf8(entry_);
    // For a file that is only compressed, libarchive's name is `data`.
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
  /// Whether all of it was read.
  bool is_at_end() const { return at_end_; }
  Result<std::size_t> read(std::span<char> into) override {
    if (archive_entry_is_encrypted(entry_) != 0)
      return failure("it is encrypted");
    const la_ssize_t count = archive_read_data(reader_, into.data(), into.size());
    if (count < 0)
      return wrong(reader_, feed_);
    read_ += static_cast<std::uint64_t>(count);
    at_end_ = count == 0;
    if (read_ > most_) // a dictionary never uses more memory than was written to it
      return failure("it is compressed by a method whose dictionary may take more than 1 GB");
    return static_cast<std::size_t>(count);
  }

private:
  archive* reader_;
  archive_entry* entry_;
  const BlobFeed& feed_;
  std::uint64_t most_, read_ = 0; ///< bytes
  bool at_end_ = false;
};

/// Whether a zip has its end record. Without it, members are read one by one until there is no next one, and
/// missing members would not be noticed.
bool has_end(const binary::Blob& zip) {
  constexpr std::uint64_t longest_comment = 65535;
  constexpr std::uint64_t record = 22;
  const std::uint64_t tail = std::min(zip.size(), longest_comment + record);
  const std::size_t begin = zip.part(zip.size() - tail, tail).beginning(tail).rfind("PK\5\6");
  return begin != std::string::npos && begin + record <= tail;
}

/// libarchive reports any file without output as empty, whether it is truncated or has an empty stream.
bool is_cut_empty(archive* reader) {
  return archive_format(reader) == ARCHIVE_FORMAT_EMPTY &&
         (archive_filter_count(reader) < 2 || archive_errno(reader) != 0);
}

struct Compression {
  std::string_view name; ///< `sniff`'s name for it
  ArchiveFormat format;
  bool nests; ///< large windows, so that libarchive may not open several layers at once
};
constexpr std::array compressions = {
    Compression{"gzip", archive_gzip, false}, Compression{"bzip2", archive_bzip2, false},
    Compression{"xz", archive_xz, true},      Compression{"lzma", archive_lzma, true},
    Compression{"zstd", archive_zstd, true},
};

/// By the first bytes; nullptr for archives and unknown formats.
const Compression* compression_of(const binary::Blob& packed) {
  const std::string beginning = packed.beginning(sniffed_bytes);
  const Sniffed sniffed = sniff(beginning);
  // The caller knows that it is packed, by its name or, for a zip, by its end.
  const bool is_lzma = sniffed.content == Content::other && can_be_lzma(beginning) && !has_end(packed);
  const std::string_view name = is_lzma                              ? "lzma"
                                : sniffed.content == Content::packed ? sniffed.format
                                                                     : std::string_view();
  const auto* const row = std::find_if(compressions.begin(), compressions.end(),
                                       [&](const Compression& one) { return one.name == name; });
  return row == compressions.end() ? nullptr : row;
}

/// One known filter: compressed content of it is a member, and is opened separately. libarchive would not
/// recognise every lzma file. `archives`: the content may be an archive, or else is any bytes, compressed.
ArchiveReader make_reader(BlobFeed& feed, const Compression* compression, bool archives) {
  const unsigned contents = !archives                ? archive_empty
                            : compression == nullptr ? archive_tar | archive_streamed_zip
                                                     : archive_tar;
  auto reader = archive_reader(archive_raw | contents | (compression == nullptr ? 0U : compression->format));
  if (!reader)
    return reader;
  archive_read_set_options(reader.get(), "read_concatenated_archives");
  feed.attach(reader.get());
  return reader;
}

Result<void> read_members(const binary::Blob& packed, const Compression* compression, bool archives,
                          const std::function<bool(PackedMember&)>& visit) {
  const bool is_lzma = compression != nullptr && compression->name == "lzma";
  BlobFeed feed(packed, is_lzma ? round_up_dictionary : std::function<void(std::span<char>)>());
  const auto reader = make_reader(feed, compression, archives);
  if (!reader)
    return failure("there is not enough memory to open it");
  if (archive_read_open1(reader.get()) != ARCHIVE_OK)
    return wrong(reader.get(), feed);
  for (;;) {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(reader.get(), &entry);
    if (code == ARCHIVE_EOF)
      return is_cut_empty(reader.get()) ? wrong(reader.get(), feed) : Result<void>();
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
      return wrong(reader.get(), feed);
    // Content that no other reader accepts can be anything, so at least one compression is required.
    const bool is_raw = archive_format(reader.get()) == ARCHIVE_FORMAT_RAW;
    const int layers = archive_filter_count(reader.get()) - 1;
    if (is_raw && layers == 0)
      return failure("it cannot be opened: it is damaged or of a kind that is not supported");
    if (layers > 1 && compression->nests)
      return failure("it is compressed more than once by the same method");
    Member member(reader.get(), entry, feed);
    if (!visit(member))
      return {};
    // The older format cannot mark that a second stream follows, so libarchive reads none.
    if (is_raw && is_lzma && member.is_at_end() &&
        static_cast<std::uint64_t>(archive_filter_bytes(reader.get(), -1)) < packed.size())
      return failure("it cannot be opened: there is data after its end");
  }
}

} // namespace

Result<void> each_packed_member(const binary::Blob& packed, const std::function<bool(PackedMember&)>& visit) {
  const Compression* const compression = compression_of(packed);
  const bool is_zip = packed.beginning(2) == "PK";
  bool any = false;
  auto read = read_members(packed, compression, true, [&](PackedMember& member) {
    any = true;
    return visit(member);
  });
  // The tar reader accepts anything that begins with a block of zeros as an archive, empty or damaged.
  if (!any && !is_zip)
    read = read_members(packed, compression, false, visit);
  if (read && is_zip && !has_end(packed))
    return failure("it is cut short: it has no central directory");
  return read;
}

std::uint64_t declared_window(const binary::Blob& packed) {
  const Compression* const compression = compression_of(packed);
  const std::string_view format = compression == nullptr ? std::string_view() : compression->name;
  const std::string header = packed.beginning(LZMA_STREAM_HEADER_SIZE + LZMA_BLOCK_HEADER_SIZE_MAX);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(header.data());
  if (format == "lzma") {
    std::uint64_t size = 0;
    for (std::size_t i = 4; i > 0 && header.size() > 4; --i)
      size = (size << 8U) | bytes[i];
    return size;
  }
  std::array<lzma_filter, LZMA_FILTERS_MAX + 1> filters{};
  lzma_stream_flags flags{};
  lzma_block block{};
  block.filters = filters.data();
  if (format != "xz" || header.size() <= LZMA_STREAM_HEADER_SIZE ||
      lzma_stream_header_decode(&flags, bytes) != LZMA_OK)
    return 0;
  const std::uint8_t* const at = bytes + LZMA_STREAM_HEADER_SIZE;
  block.check = flags.check;
  block.header_size = lzma_block_header_size_decode(*at);
  if (*at == 0 || block.header_size > header.size() - LZMA_STREAM_HEADER_SIZE ||
      lzma_block_header_decode(&block, nullptr, at) != LZMA_OK)
    return 0; // an empty stream, or a damaged one
  const std::uint64_t usage = lzma_raw_decoder_memusage(filters.data());
  for (const lzma_filter& one : filters) {
    if (one.id == LZMA_VLI_UNKNOWN)
      break;
    std::free(one.options);
  }
  return usage;
}

} // namespace hostpin::leak
