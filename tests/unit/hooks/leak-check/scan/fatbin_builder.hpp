// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hostpin::test {

struct DeviceCode {
  unsigned kind, architecture, flags;
  std::string payload;
};

/// Device code as it stands in .nv_fatbin.
inline std::string fatbin(const std::vector<DeviceCode>& entries) {
  const auto number = [](std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i)
      bytes += static_cast<char>(i < 8 ? value >> (8 * i) & 255U : 0);
    return bytes;
  };
  std::string all;
  for (const DeviceCode& entry : entries) {
    const std::size_t padded = (entry.payload.size() + 7) / 8 * 8;
    const std::size_t packed = entry.flags == 0 ? 0 : entry.payload.size();
    all += number(entry.kind, 2) + number(0x101, 2) + number(64, 4) + number(padded, 8) + number(packed, 4) +
           number(0, 4) + number(7, 2) + number(1, 2) + number(entry.architecture, 4) + number(0, 8) +
           number(entry.flags, 8) + number(0, 16) + entry.payload +
           std::string(padded - entry.payload.size(), '\0');
  }
  return number(0xBA55ED50, 4) + number(1, 2) + number(16, 2) + number(all.size(), 8) + all;
}

} // namespace hostpin::test
