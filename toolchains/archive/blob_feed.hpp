// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

struct archive;

namespace hostpin {

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
