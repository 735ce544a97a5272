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
#include <utility>

#include <tl/expected.hpp>

namespace hostpin::binary {

/// A defect in untrusted bytes, as the end of a sentence about the file: `its section headers are past its
/// end`.
struct Damage {
  std::string what;
  std::uint64_t at = 0; ///< offset in the bytes, if the reader provides it
  bool cut = false;     ///< bytes are missing, rather than wrong; likewise
};

/// The parsed value, or why there is none.
template <typename T>
using Reading = tl::expected<T, Damage>;

inline tl::unexpected<Damage> damaged(std::string what, std::uint64_t at = 0, bool cut = false) {
  return tl::unexpected<Damage>(Damage{std::move(what), at, cut});
}

class InputFile;

/// A part of a file, and the only access to its bytes: a read outside it returns nothing. Cheap to copy; the
/// source must outlive it.
class Bytes {
public:
  /// The longest result of `view`.
  static constexpr std::size_t view_limit = std::size_t{64} << 10U;

  explicit Bytes(const InputFile& source);

  std::uint64_t size() const { return size_; }
  std::uint64_t begin() const { return begin_; } ///< their offset in the source
  bool whole_file() const;
  const InputFile& source() const { return *source_; }

  /// Nothing if it would reach outside these bytes.
  std::optional<Bytes> part(std::uint64_t offset, std::uint64_t size) const;
  /// A view of the bytes, valid until the next view of the same file. Nothing if they are outside, cannot be
  /// read or are more than `view_limit`.
  std::optional<std::string_view> view(std::uint64_t offset, std::uint64_t size) const;
  /// The same, valid as long as the source. Nothing also if the source does not hold all of its bytes in
  /// memory; for a small file it does.
  std::optional<std::string_view> stable_view(std::uint64_t offset, std::uint64_t size) const;
  /// Copies bytes; false if they are outside or cannot be read.
  bool read(std::uint64_t offset, char* to, std::size_t size) const;
  /// A little-endian number of up to 8 bytes.
  std::optional<std::uint64_t> little(std::uint64_t offset, std::size_t size) const;
  /// As many bytes from `offset` on as there are, up to `limit`.
  std::string_view up_to(std::uint64_t offset, std::size_t limit) const;
  /// Whether `text`, shorter than `view_limit`, occurs in these bytes. Nothing if they cannot be read.
  std::optional<bool> holds(std::string_view text) const;

private:
  Bytes(const InputFile& source, std::uint64_t begin, std::uint64_t size)
      : source_(&source), begin_(begin), size_(size) {}

  const InputFile* source_;
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
};

/// Buffer for what is read of a file; files that are open one after another may share it.
struct ReadBuffer {
  std::unique_ptr<char[]> bytes;
  std::size_t capacity = 0;
};

/// A file or blob that is read on demand, through one window, so that memory use does not grow with its size.
/// A small one is read whole at once. For one thread.
class InputFile {
public:
  /// An error is a sentence about the file, without its name: it cannot be read, does not exist, is not a
  /// regular file, ... Does not wait for a FIFO.
  /// `shared` must outlive the file; without it the file has a buffer of its own.
  static Result<std::unique_ptr<InputFile>> open(const std::string& path, ReadBuffer* shared = nullptr);
  /// Bytes in memory, which must outlive the source.
  explicit InputFile(std::string_view memory) : size_(memory.size()), window_(memory) {}
  /// Like `open`, for a blob.
  explicit InputFile(Blob blob, ReadBuffer* shared = nullptr);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() = default;

  /// Identifies a file, whatever its names.
  struct Identity {
    std::uint64_t device = 0, inode = 0;
    bool operator==(const Identity&) const = default;
  };

  std::uint64_t size() const { return size_; }
  Identity identity() const { return identity_; }
  /// A failure of the file itself, not of its content: it was written to since it was opened, it became
  /// shorter, or the disk failed.
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
      window_; ///< the available bytes: all of the memory, or the file's bytes in the buffer
  mutable std::uint64_t window_begin_ = 0;
};

} // namespace hostpin::binary
