// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/elf_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unordered_map>
#include <vector>

namespace hostpin::binary {

/// A file descriptor that is closed when its last user is destroyed.
class OpenFile {
public:
  explicit OpenFile(int descriptor);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  int descriptor() const { return descriptor_; }
  /// The status when it was opened; all zero if unknown.
  const struct stat& status() const { return status_; }
  /// Whether the file has been written to since it was opened.
  bool has_changed() const;

private:
  int descriptor_;
  struct stat status_ {};
};

/// Bytes with random access: a file, a part of one, or a string. Files are read and never mapped: a file that
/// shrinks gives short reads instead of SIGBUS, and pages that were read do not accumulate in memory.
class Blob {
public:
  Blob() = default;
  Blob(std::shared_ptr<const OpenFile> file, std::uint64_t size);
  explicit Blob(std::string bytes);

  std::uint64_t size() const { return size_; }
  /// Whether the underlying file has changed since it was opened.
  bool has_changed() const { return file_ && file_->has_changed(); }
  /// A part of these bytes; shortened at their end.
  Blob part(std::uint64_t offset, std::uint64_t size) const;

  /// Reads as many bytes as there are, fewer than requested only at the end; the error is a reason, such as
  /// `Input/output error`, or that the file became shorter.
  Result<std::size_t> read(std::uint64_t offset, std::span<char> into) const;

  /// All of them, if that needs no file access; valid as long as the blob or a part of it.
  std::optional<std::string_view> in_memory() const;
  const OpenFile* file() const { return file_.get(); }
  /// The first bytes, `count` at most; without those that cannot be read.
  std::string beginning(std::size_t count) const;
  /// All of them, if there are at most `limit`.
  Result<std::string> all(std::size_t limit) const;

private:
  std::shared_ptr<const OpenFile> file_;
  std::shared_ptr<const std::string> bytes_; ///< null: the bytes are in a file
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
};

/// Caches everything it returns, so that a parser may keep views of it.
class BlobSource final : public ByteSource {
public:
  /// `budget`: bytes to cache at most; beyond that, reads return nothing.
  explicit BlobSource(Blob blob, std::size_t budget = std::size_t{32} << 20U);

  std::optional<std::string_view> slice(std::uint64_t offset, std::uint64_t size) const override;

  /// Why a range within the blob was not returned; empty if all were.
  const std::string& trouble() const { return trouble_; }
  const Blob& blob() const { return blob_; }

private:
  std::optional<std::string_view> keep(std::uint64_t offset, std::size_t size) const;

  Blob blob_;
  std::size_t budget_;
  mutable std::size_t kept_ = 0;
  mutable std::unordered_map<std::uint64_t, std::string_view> pages_;
  mutable std::uint64_t last_page_ = ~0ULL; ///< most reads are sequential
  mutable std::string_view last_;
  mutable std::vector<std::unique_ptr<char[]>> storage_;
  mutable std::string trouble_;
};

/// A regular file, symlinks followed; the error is a reason, such as `it is a directory`. Does not wait for a
/// FIFO.
Result<Blob> open_blob(const std::string& path);

/// An empty, unnamed file for writing and reading.
Result<std::shared_ptr<const OpenFile>> open_scratch(const std::string& directory);

/// Why the last system call failed, such as `Permission denied`.
std::string system_reason();

} // namespace hostpin::binary

namespace hostpin {

using binary::Blob;
using binary::BlobSource;
using binary::open_blob;
using binary::open_scratch;
using binary::OpenFile;
using binary::system_reason;

} // namespace hostpin
