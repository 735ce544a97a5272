// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hostpin::binary {

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

namespace hostpin {

using binary::MappedFile;

} // namespace hostpin
