// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

// The few bytes by which a needle is found, shared by NeedleSet and NeedleScan.

namespace hostpin {

inline constexpr std::size_t wide_window = 8;
inline constexpr std::size_t narrow_window = 4;
inline constexpr std::size_t hash_length = 32; ///< of a Nix or Guix store hash

inline std::uint64_t load_window(const char* bytes, std::size_t length) {
  std::uint64_t window = 0;
  std::memcpy(&window, bytes, length);
  return window;
}

/// Hashes a window to 64 bits, of which the high ones are the best mixed (Fibonacci hashing).
inline std::uint64_t mixed(std::uint64_t window) {
  return (window ^ (window >> 29U)) * 0x9E3779B97F4A7C15U;
}

/// A set of windows that rejects nearly all others: two bits for each, in one word, so that a lookup costs
/// one load. 32 KB: it has to fit into the first-level cache together with the bytes that are scanned.
class WindowFilter {
public:
  void add(std::uint64_t window) {
    words_.resize(word_count);
    words_[word_of(window)] |= bits_of(window);
  }
  /// Only to be called after `add`.
  bool may_hold(std::uint64_t window) const {
    const std::uint64_t bits = bits_of(window);
    return (words_[word_of(window)] & bits) == bits;
  }

private:
  static constexpr unsigned word_bits = 12;
  static constexpr std::size_t word_count = std::size_t{1} << word_bits;

  static std::size_t word_of(std::uint64_t window) {
    return static_cast<std::size_t>(mixed(window) >> (64U - word_bits));
  }
  static std::uint64_t bits_of(std::uint64_t window) {
    const std::uint64_t mix = mixed(window) >> (64U - word_bits - 12U);
    return std::uint64_t{1} << (mix & 63U) | std::uint64_t{1} << ((mix >> 6U) & 63U);
  }

  std::vector<std::uint64_t> words_;
};

/// Nix's base 32, which Guix uses too: digits and lower case letters without e, o, t and u.
inline constexpr bool is_hash_character(char c) {
  constexpr std::string_view left_out = "eotu";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z' && left_out.find(c) == std::string_view::npos);
}

} // namespace hostpin
