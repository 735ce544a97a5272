// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/reader.hpp"

#include <algorithm>
#include <archive.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t piece = std::size_t{64} << 10U;

la_ssize_t feed_read(archive* reader, void* data, const void** bytes) {
  const auto next = static_cast<BlobFeed*>(data)->next();
  if (!next) {
    archive_set_error(reader, EIO, "%s", next.error().message.c_str());
    return ARCHIVE_FATAL;
  }
  *bytes = next->data();
  return static_cast<la_ssize_t>(next->size());
}

la_int64_t feed_skip(archive* /*reader*/, void* data, la_int64_t request) {
  return static_cast<la_int64_t>(static_cast<BlobFeed*>(data)->skip(request));
}

la_int64_t feed_seek(archive* /*reader*/, void* data, la_int64_t offset, int whence) {
  return static_cast<BlobFeed*>(data)->seek(offset, whence);
}

} // namespace

void FreeArchive::operator()(archive* reader) const {
  archive_read_free(reader);
}

ArchiveReader archive_reader(unsigned formats) {
  struct Support {
    ArchiveFormat format;
    int (*enable)(archive*);
  };
  constexpr std::array supports = {Support{archive_rpm, archive_read_support_filter_rpm},
                                   Support{archive_gzip, archive_read_support_filter_gzip},
                                   Support{archive_bzip2, archive_read_support_filter_bzip2},
                                   Support{archive_xz, archive_read_support_filter_xz},
                                   Support{archive_lzma, archive_read_support_filter_lzma},
                                   Support{archive_zstd, archive_read_support_filter_zstd},
                                   Support{archive_raw, archive_read_support_format_raw},
                                   Support{archive_tar, archive_read_support_format_tar},
                                   Support{archive_empty, archive_read_support_format_empty},
                                   Support{archive_cpio, archive_read_support_format_cpio},
                                   Support{archive_zip, archive_read_support_format_zip_seekable},
                                   Support{archive_streamed_zip, archive_read_support_format_zip}};
  ArchiveReader reader(archive_read_new());
  if (!reader)
    return reader;
  for (const Support& each : supports)
    if ((formats & each.format) != 0)
      each.enable(reader.get());
  archive_read_set_options(reader.get(), "hdrcharset=BINARY");
  return reader;
}

unsigned compression_of(std::string_view beginning) {
  return beginning.starts_with(std::string_view("\3757zXZ\0", 6)) ? archive_xz
         : beginning.starts_with("\x1f\x8b")                      ? archive_gzip
         : beginning.starts_with("\x28\xb5\x2f\xfd")              ? archive_zstd
                                                                  : 0U;
}

std::string archive_reason(archive* reader, const char* otherwise) {
  const char* const reason = archive_error_string(reader);
  return reason == nullptr ? otherwise : reason;
}

BlobFeed::BlobFeed(binary::Blob blob, std::function<void(std::span<char>)> first)
    : blob_(std::move(blob)), first_(std::move(first)), buffer_(piece) {}

void BlobFeed::attach(archive* reader) {
  archive_read_set_callback_data(reader, this);
  archive_read_set_read_callback(reader, feed_read);
  archive_read_set_skip_callback(reader, feed_skip);
  archive_read_set_seek_callback(reader, feed_seek);
}

Result<std::span<const char>> BlobFeed::next() {
  const auto count = blob_.read(offset_, buffer_);
  if (!count) {
    trouble_ = count.error();
    return tl::unexpected(count.error());
  }
  const std::span<char> bytes = std::span(buffer_).first(*count);
  if (offset_ == 0 && first_)
    first_(bytes);
  offset_ += *count;
  return bytes;
}

std::uint64_t BlobFeed::skip(std::int64_t request) {
  const std::uint64_t left = blob_.size() - std::min(offset_, blob_.size());
  const std::uint64_t skipped =
      std::min(left, static_cast<std::uint64_t>(std::max<std::int64_t>(request, 0)));
  offset_ += skipped;
  return skipped;
}

std::int64_t BlobFeed::seek(std::int64_t offset, int whence) {
  const auto size = static_cast<std::int64_t>(blob_.size());
  const std::int64_t from = whence == SEEK_SET   ? 0
                            : whence == SEEK_END ? size
                                                 : static_cast<std::int64_t>(offset_);
  const std::int64_t wanted = offset > size    ? size
                              : offset < -size ? 0
                                               : std::clamp<std::int64_t>(from + offset, 0, size);
  offset_ = static_cast<std::uint64_t>(wanted);
  return wanted;
}

} // namespace hostpin
