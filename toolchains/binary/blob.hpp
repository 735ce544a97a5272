// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unordered_map>
#include <vector>

namespace hostpin::binary {

/// Bytes that are read on demand, for files that are large or may change meanwhile.
class ByteSource {
public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Valid as long as the source itself; nothing for a range that does not exist or cannot be read.
  virtual std::optional<std::string_view> slice(std::uint64_t offset, std::uint64_t size) const = 0;
};

/// The only access to the bytes: a read outside them returns nothing.
class ElfBytes {
public:
  ElfBytes(std::string_view bytes, bool wide, bool little) : bytes_(bytes), wide_(wide), little_(little) {}
  /// Stores a reference to `source`.
  ElfBytes(const ByteSource& source, bool wide, bool little)
      : source_(&source), wide_(wide), little_(little) {}

  bool little() const { return little_; }
  bool wide() const { return wide_; }

  /// A number of 1 to 8 bytes.
  std::optional<std::uint64_t> number(std::uint64_t offset, std::size_t size) const {
    const auto range = slice(offset, size);
    if (!range || size == 0 || size > sizeof(std::uint64_t))
      return std::nullopt;
    std::uint64_t value = 0;
    constexpr bool native_little = std::endian::native == std::endian::little;
    std::memcpy(reinterpret_cast<char*>(&value) + (native_little ? 0 : sizeof value - size), range->data(),
                size);
    if (little_ != native_little)
      value = __builtin_bswap64(value) >> (8 * (sizeof value - size));
    return value;
  }

  /// An address, offset or size: 8 bytes in 64-bit files, 4 in 32-bit ones.
  std::optional<std::uint64_t> word(std::uint64_t offset) const { return number(offset, wide_ ? 8 : 4); }

  std::optional<std::string_view> slice(std::uint64_t offset, std::uint64_t size) const {
    if (source_ != nullptr)
      return source_->slice(offset, size);
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      return std::nullopt;
    return bytes_.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }

private:
  std::string_view bytes_;
  const ByteSource* source_ = nullptr;
  bool wide_;
  bool little_;
};

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

/// Bytes with random access: a file, a part of one, a string, or some of these one after another. Files are
/// read and never mapped: a file that shrinks gives short reads instead of SIGBUS, and pages that were read
/// do not accumulate in memory.
class Blob {
public:
  Blob() = default;
  Blob(std::shared_ptr<const OpenFile> file, std::uint64_t size);
  explicit Blob(std::string bytes);
  /// Nothing is copied.
  explicit Blob(std::vector<Blob> parts);

  std::uint64_t size() const { return size_; }
  /// Whether the underlying file has changed since it was opened.
  bool has_changed() const;
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
  struct Parts;
  Result<std::size_t> read_parts(std::uint64_t offset, std::span<char> into) const;

  std::shared_ptr<const OpenFile> file_;
  std::shared_ptr<const std::string> bytes_; ///< null: the bytes are in a file
  std::shared_ptr<const Parts> parts_;       ///< or in these
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

/// What was written so far to a file that is open for reading too. The error is a reason.
Result<Blob> written_blob(int descriptor);

/// Why the last system call failed, such as `Permission denied`.
std::string system_reason();

/// A regular file mapped into memory; only the pages that are accessed are read.
class MappedFile {
public:
  /// Nothing if it is not a regular file or cannot be read; errno has the reason, 0 if it is not a regular
  /// file. Does not wait for a FIFO.
  static std::optional<MappedFile> open(const std::string& path);

  /// The same, with no bytes if that fails.
  static MappedFile or_empty(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }
  /// Releases the memory of the pages that were read; they are read from the file again on access.
  void forget() const;

private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
};

} // namespace hostpin::binary
