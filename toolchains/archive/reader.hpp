// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct archive;

namespace hostpin {

struct FreeArchive {
  void operator()(archive* reader) const;
};
/// A reader of libarchive.
using ArchiveReader = std::unique_ptr<archive, FreeArchive>;

/// Formats and compressions that a reader accepts; combined by `|`.
enum ArchiveFormat : unsigned {
  archive_tar = 1U << 0U,
  archive_zip = 1U << 1U,          ///< by its central directory: needs a file or blob that can be sought in
  archive_streamed_zip = 1U << 2U, ///< also without a central directory
  archive_cpio = 1U << 3U,
  archive_raw = 1U << 4U,   ///< compressed bytes that are no archive
  archive_empty = 1U << 5U, ///< a file without a byte
  archive_gzip = 1U << 6U,
  archive_bzip2 = 1U << 7U,
  archive_xz = 1U << 8U,
  archive_lzma = 1U << 9U,
  archive_zstd = 1U << 10U,
  archive_rpm = 1U << 11U ///< the header before the cpio
};

/// A reader of these formats and no others: each one is a risk. Names of members are bytes, in any locale.
/// Null if there is not enough memory.
ArchiveReader archive_reader(unsigned formats);

/// The compression that a file begins with: archive_gzip, archive_xz or archive_zstd, which are those of
/// packages; else 0.
unsigned compression_of(std::string_view beginning);

/// libarchive's reason for the last failure, or `otherwise` if it has none.
std::string archive_reason(archive* reader, const char* otherwise);

/// Gives libarchive the bytes of a blob. Has to outlive the reader that it is attached to.
class BlobFeed {
public:
  /// `first`: changes the first piece before libarchive sees it.
  explicit BlobFeed(binary::Blob blob, std::function<void(std::span<char>)> first = {});
  BlobFeed(const BlobFeed&) = delete;
  BlobFeed& operator=(const BlobFeed&) = delete;

  /// Sets the callbacks of a reader, which is opened with archive_read_open1 then.
  void attach(archive* reader);

  /// Why the blob cannot be read, which libarchive's message may hide.
  const std::optional<Error>& trouble() const { return trouble_; }

  /// For the callbacks: the next bytes, empty at the end.
  Result<std::span<const char>> next();
  std::uint64_t skip(std::int64_t request); ///< returns how many bytes
  /// Returns the new offset. It is always inside the blob, because the file determines the requested offset.
  std::int64_t seek(std::int64_t offset, int whence);

private:
  binary::Blob blob_;
  std::function<void(std::span<char>)> first_;
  std::uint64_t offset_ = 0;
  std::optional<Error> trouble_;
  std::vector<char> buffer_;
};

} // namespace hostpin
