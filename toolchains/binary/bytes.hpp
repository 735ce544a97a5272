// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::binary {

class InputFile;

/// A part of a file, and the only way to its bytes: a read outside it gives nothing. Cheap to copy; the
/// source must outlive it.
class Bytes {
public:
  /// What `view` gives at most.
  static constexpr std::size_t view_limit = std::size_t{64} << 10U;

  explicit Bytes(const InputFile& source);

  std::uint64_t size() const { return size_; }
  std::uint64_t begin() const { return begin_; } ///< where in the source they are
  bool whole_file() const;
  const InputFile& source() const { return *source_; }

  /// Nothing when it would reach outside these.
  std::optional<Bytes> part(std::uint64_t offset, std::uint64_t size) const;
  /// Bytes to look at, valid until the next view of the same file. Nothing when they lie outside, cannot be
  /// read or are more than `view_limit`.
  std::optional<std::string_view> view(std::uint64_t offset, std::uint64_t size) const;
  /// The same for as long as the source lives. Nothing also when the source does not hold all of its bytes
  /// in memory; a small file does.
  std::optional<std::string_view> kept(std::uint64_t offset, std::uint64_t size) const;
  /// Copies bytes; false when they lie outside or cannot be read.
  bool read(std::uint64_t offset, char* to, std::size_t size) const;
  /// A little-endian number of up to 8 bytes.
  std::optional<std::uint64_t> little(std::uint64_t offset, std::size_t size) const;
  /// As many bytes from `offset` on as there are, up to `limit`.
  std::string_view up_to(std::uint64_t offset, std::size_t limit) const;
  /// Whether `text`, shorter than `view_limit`, is among them. Nothing when they cannot be read.
  std::optional<bool> holds(std::string_view text) const;

private:
  Bytes(const InputFile& source, std::uint64_t begin, std::uint64_t size)
      : source_(&source), begin_(begin), size_(size) {}

  const InputFile* source_;
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
};

/// Memory for what is read of a file; files that are open one after another may share it.
struct ReadBuffer {
  std::unique_ptr<char[]> bytes;
  std::size_t capacity = 0;
};

/// A file or blob of which only what is asked for is read, through one window, so that what is held in memory
/// does not grow with it. A small one is read whole and once. For one thread.
class InputFile {
public:
  /// An error is a sentence about it, without its name: it cannot be read, for it is absent, no regular
  /// file, ... Waits for no FIFO.
  /// `shared` must outlive the file; without it the file has a buffer of its own.
  static Result<std::unique_ptr<InputFile>> open(const std::string& path, ReadBuffer* shared = nullptr);
  /// Bytes in memory, which must outlive the source.
  explicit InputFile(std::string_view memory) : size_(memory.size()), window_(memory) {}
  /// As `open` does for a blob.
  explicit InputFile(Blob blob, ReadBuffer* shared = nullptr);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() = default;

  /// Which file it is, whatever its names.
  struct Identity {
    std::uint64_t device = 0, inode = 0;
    bool operator==(const Identity&) const = default;
  };

  std::uint64_t size() const { return size_; }
  Identity identity() const { return identity_; }
  /// What went wrong with the file, rather than with what is in it: it was written to since it was opened, it
  /// is shorter than it was, or the disk failed.
  std::optional<Error> trouble() const;

private:
  friend class Bytes;

  bool load(std::uint64_t offset, char* to, std::size_t size) const;
  bool read_file(std::uint64_t offset, char* to, std::size_t size) const;
  bool in_window(std::uint64_t offset, std::size_t size) const;
  bool move_window(std::uint64_t offset, std::size_t size) const;
  std::optional<std::string_view> window(std::uint64_t offset, std::size_t size) const;

  Blob blob_; ///< none: the bytes are in memory
  std::uint64_t size_ = 0;
  Identity identity_;
  mutable std::string failed_; ///< why a read failed
  ReadBuffer own_buffer_;
  ReadBuffer* buffer_ = nullptr;
  mutable std::string_view
      window_; ///< the bytes at hand: all of memory, or what of the file is in the buffer
  mutable std::uint64_t window_begin_ = 0;
};

} // namespace hostpin::binary
