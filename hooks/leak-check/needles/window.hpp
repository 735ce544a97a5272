// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

// The few bytes by which a needle is found, shared by those who build a set and those who scan for it.

namespace hostpin {

inline constexpr std::size_t wide_window = 8;
inline constexpr std::size_t narrow_window = 4;
inline constexpr std::size_t hash_length = 32; ///< of a Nix or Guix store hash

inline std::uint64_t load_window(const char* bytes, std::size_t length) {
  std::uint64_t window = 0;
  std::memcpy(&window, bytes, length);
  return window;
}

/// Spreads a window over 64 bits; the high ones are the good ones (Fibonacci hashing).
inline std::uint64_t mixed(std::uint64_t window) {
  return (window ^ (window >> 29U)) * 0x9E3779B97F4A7C15U;
}

// 32 KB: the bitmap has to stay in the first-level cache beside the bytes that are scanned.
inline constexpr std::size_t bitmap_bits = std::size_t{1} << 18U;

inline std::size_t bitmap_index(std::uint64_t window) {
  return static_cast<std::size_t>(mixed(window) >> (64U - 18U));
}

inline void set_bit(std::vector<std::uint64_t>& bits, std::size_t index) {
  bits[index / 64] |= std::uint64_t{1} << (index % 64);
}

inline bool has_bit(const std::vector<std::uint64_t>& bits, std::size_t index) {
  return ((bits[index / 64] >> (index % 64)) & 1U) != 0;
}

/// Of Nix's base 32, which Guix uses too: digits and lower case letters without e, o, t and u.
inline constexpr bool is_hash_character(char c) {
  constexpr std::string_view left_out = "eotu";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z' && left_out.find(c) == std::string_view::npos);
}

} // namespace hostpin
