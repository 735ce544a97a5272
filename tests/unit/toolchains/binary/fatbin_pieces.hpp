// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Fatbins as nvcc writes them.

namespace hostpin::test {

inline std::string little(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i)
    bytes += static_cast<char>(value >> 8 * i & 0xffU);
  return bytes;
}

/// Writes over what is there.
inline void put(std::string& bytes, std::size_t at, const std::string& value) {
  std::copy(value.begin(), value.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

constexpr std::uint64_t lz4 = 0x2000, zstd = 0x8000, specific = 0x100000, family = 0x200000;

struct Entry {
  unsigned kind, architecture;
  std::uint64_t flags = 0;
  std::uint32_t packed = 0;
  std::uint64_t unpacked = 0;
  std::string source{};
  std::size_t payload = 24;
};

/// A head of 64 bytes, the name of the source behind it.
inline std::string entry(const Entry& one) {
  const std::string source = one.source + std::string((8 - one.source.size() % 8) % 8, '\0');
  return little(one.kind, 2) + little(0x101, 2) + little(0x40 + source.size(), 4) + little(one.payload, 8) +
         little(one.packed, 4) + little(0, 4) + little(4, 2) + little(8, 2) + little(one.architecture, 4) +
         little(one.source.empty() ? 0 : 0x40, 4) + little(one.source.size(), 4) + little(one.flags, 8) +
         little(0, 8) + little(one.unpacked, 8) + source + std::string(one.payload, '\x5a');
}

inline std::string fatbin_of(const std::vector<Entry>& entries) {
  std::string content;
  for (const Entry& one : entries)
    content += entry(one);
  return little(0xba55ed50, 4) + little(1, 2) + little(16, 2) + little(content.size(), 8) + content;
}

} // namespace hostpin::test
