// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hostpin {

/// Finds slashes behind which something wanted may begin, told by the two bytes that follow. It touches every
/// byte that is scanned, so it uses the widest vectors that the processor has.
class Slashes {
public:
  static constexpr std::size_t block = 8192; ///< bytes that are looked at in one call, at most
  static constexpr std::size_t slack = 64;   ///< bytes behind them that must be readable, whatever they are

  /// Ways to go through the bytes, which give the same.
  enum class Way { portable, avx2, avx512 };
  /// Whether this processor has it; always for the portable one.
  static bool has(Way way);
  static Way best();

  explicit Slashes(Way way = best()) : way_(way) {}

  void want(char first, char second) {
    const unsigned pair = number(first, second);
    wanted_[pair / 64] |= std::uint64_t{1} << (pair % 64);
  }
  void want_all_behind(char first) {
    for (unsigned second = 0; second < 256; ++second)
      want(first, static_cast<char>(second));
  }

  /// Places of slashes, ascending; with room for the ones that are told and, meanwhile, for all others.
  using Places = std::array<std::uint16_t, block + 2>;
  /// How many were found among `count` bytes. What follows the last bytes of all is up to the caller: they
  /// may be told although nothing does.
  std::size_t find(const char* bytes, std::size_t count, Places& places) const;

private:
  static unsigned number(char first, char second) {
    return static_cast<unsigned char>(first) | static_cast<unsigned>(static_cast<unsigned char>(second))
                                                   << 8U;
  }
  bool wants(const char* behind) const {
    const unsigned pair = number(behind[0], behind[1]);
    return ((wanted_[pair / 64] >> (pair % 64)) & 1U) != 0;
  }

  Way way_;
  std::array<std::uint64_t, 65536 / 64> wanted_{}; ///< a bit for each pair of bytes
};

} // namespace hostpin
