// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hostpin::binary {

/// A regular file as bytes in memory, of which only those that are looked at are read.
class MappedFile {
public:
  /// Nothing when it is no regular file or cannot be read; errno says why, 0 where it is no regular
  /// file. A FIFO is not waited for.
  static std::optional<MappedFile> open(const std::string& path);

  /// The same without bytes where it cannot be.
  static MappedFile or_empty(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }
  /// Gives back the memory of what was read; what is read again comes from the file again.
  void forget() const;

private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
};

} // namespace hostpin::binary

namespace hostpin {

using binary::MappedFile;

} // namespace hostpin
