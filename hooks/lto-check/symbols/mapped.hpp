// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace hostpin {

/// The bytes of a regular file, mapped for as long as the value lives; empty when it cannot be.
class MappedInput {
public:
  explicit MappedInput(const std::string& path);
  MappedInput(MappedInput&& other) noexcept;
  MappedInput& operator=(MappedInput&&) = delete;
  MappedInput(const MappedInput&) = delete;
  MappedInput& operator=(const MappedInput&) = delete;
  ~MappedInput();

  std::string_view view() const { return {data_, size_}; }

  /// Gives back the memory of what was read; what is read again comes from the file again.
  void forget() const;

private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace hostpin
