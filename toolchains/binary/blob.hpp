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

/// A file descriptor that is closed with the last who uses it.
class OpenFile {
public:
  explicit OpenFile(int descriptor);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  int descriptor() const { return descriptor_; }
  /// As it was when it was opened; all zero where that could not be known.
  const struct stat& status() const { return status_; }
  /// Whether somebody has written to it since.
  bool has_changed() const;

private:
  int descriptor_;
  struct stat status_ {};
};

/// Bytes that can be read in any order: a file, a part of one, or a string. Files are read and never mapped:
/// one that shrinks gives short reads, where a mapping gives SIGBUS, and pages that were looked at do not add
/// up.
class Blob {
public:
  Blob() = default;
  Blob(std::shared_ptr<const OpenFile> file, std::uint64_t size);
  explicit Blob(std::string bytes);

  std::uint64_t size() const { return size_; }
  /// Whether the file behind it has changed since it was opened.
  bool has_changed() const { return file_ && file_->has_changed(); }
  /// Of these bytes; cut at their end.
  Blob part(std::uint64_t offset, std::uint64_t size) const;

  /// As many bytes as there are, which is fewer than wanted at the end only; the error is a reason, such as
  /// `Input/output error`, or that the file became shorter.
  Result<std::size_t> read(std::uint64_t offset, std::span<char> into) const;

  /// All of them, where no file has to be read for that; valid as long as the blob or a part of it.
  std::optional<std::string_view> in_memory() const;
  const OpenFile* file() const { return file_.get(); }
  /// The first bytes, `count` at most; what cannot be read is not there.
  std::string beginning(std::size_t count) const;
  /// All of them, where there are `limit` at most.
  Result<std::string> all(std::size_t limit) const;

private:
  std::shared_ptr<const OpenFile> file_;
  std::shared_ptr<const std::string> bytes_; ///< where there is no file
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
};

/// Keeps what it was asked for, so that a parser may hold on to it.
class BlobSource final : public ByteSource {
public:
  /// `budget`: bytes to keep at most; beyond, nothing is there any more.
  explicit BlobSource(Blob blob, std::size_t budget = std::size_t{32} << 20U);

  std::optional<std::string_view> slice(std::uint64_t offset, std::uint64_t size) const override;

  /// Why something that lies within the blob was not given; empty when everything was.
  const std::string& trouble() const { return trouble_; }
  const Blob& blob() const { return blob_; }

private:
  std::optional<std::string_view> keep(std::uint64_t offset, std::size_t size) const;

  Blob blob_;
  std::size_t budget_;
  mutable std::size_t kept_ = 0;
  mutable std::unordered_map<std::uint64_t, std::string_view> pages_;
  mutable std::uint64_t last_page_ = ~0ULL; ///< most numbers follow each other
  mutable std::string_view last_;
  mutable std::vector<std::unique_ptr<char[]>> storage_;
  mutable std::string trouble_;
};

/// A regular file, symlinks followed; the error is a reason, such as `it is a directory`. A FIFO is not
/// waited for.
Result<Blob> open_blob(const std::string& path);

/// An empty file without a name that can be written and read.
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
