// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/checksum.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

namespace hostpin {

namespace {

// Odd constants with well spread bits (2^64 / golden ratio, and xxHash64's second prime).
constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
constexpr std::uint64_t prime = 0xC2B2AE3D27D4EB4F;

constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  return std::rotl(state ^ (word * prime), 29) * golden;
}

} // namespace

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) {
  // The length goes in first, so that trailing zero bytes count.
  std::uint64_t state = mix(seed ^ golden, bytes.size());
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    state = mix(state, word);
  }
  std::uint64_t rest = 0;
  for (unsigned shift = 0; at < bytes.size(); ++at, shift += 8)
    rest |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at])) << shift;
  state = mix(state, rest);
  return mix(state ^ (state >> 32), prime);
}

std::array<char, 16> hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  for (std::size_t i = digits.size(); i-- > 0; number >>= 4)
    digits[i] = "0123456789abcdef"[number & 0xF];
  return digits;
}

} // namespace hostpin
