// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

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

  bool wide() const { return wide_; }

  std::optional<std::uint64_t> number(std::uint64_t offset, std::size_t size) const {
    const auto range = slice(offset, size);
    if (!range)
      return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = little_ ? size - 1 - i : i;
      value = value << 8U | static_cast<unsigned char>((*range)[at]);
    }
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

} // namespace hostpin::binary
