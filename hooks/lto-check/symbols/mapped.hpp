// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace hostpin {

/// The bytes of a regular file, mapped for as long as the value lives; empty when it cannot be.
class MappedFile {
public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view view() const { return {data_, size_}; }

  /// Gives back the memory of what was read; what is read again comes from the file again.
  void forget() const;

private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace hostpin
