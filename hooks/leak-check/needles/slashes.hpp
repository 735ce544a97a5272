// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hostpin::leak {

/// Finds the slashes that are followed by one of the wanted pairs of bytes. It touches every byte that is
/// scanned, so it uses the widest vectors that the processor has.
class Slashes {
public:
  static constexpr std::size_t block = 8192; ///< bytes that are searched in one call, at most
  static constexpr std::size_t slack = 64;   ///< bytes after them that must be readable, with any content

  /// Implementations, which return the same.
  enum class Way { portable, avx2, avx512 };
  /// Whether this processor supports it; always true for the portable one.
  static bool has(Way way);
  static Way best();

  explicit Slashes(Way way = best()) : way_(way) {}

  void want(char first, char second) {
    const unsigned pair = number(first, second);
    wanted_[pair / 64] |= std::uint64_t{1} << (pair % 64);
  }
  void want_all_after(char first) {
    for (unsigned second = 0; second < 256; ++second)
      want(first, static_cast<char>(second));
  }

  /// Positions of slashes, ascending; with room for all slashes of a block.
  using Positions = std::array<std::uint16_t, block + 2>;
  /// Returns how many were found among `count` bytes. At the end of the stream the caller must check what
  /// follows: the bytes after `count` are compared too.
  std::size_t find(const char* bytes, std::size_t count, Positions& positions) const;

private:
  static unsigned number(char first, char second) {
    return static_cast<unsigned char>(first) | static_cast<unsigned>(static_cast<unsigned char>(second))
                                                   << 8U;
  }
  bool wants(const char* after) const {
    const unsigned pair = number(after[0], after[1]);
    return ((wanted_[pair / 64] >> (pair % 64)) & 1U) != 0;
  }

  Way way_;
  std::array<std::uint64_t, 65536 / 64> wanted_{}; ///< a bit for each pair of bytes
};

} // namespace hostpin::leak
