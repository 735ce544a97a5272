// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace hostpin {

/// One of the parts that a scan is divided into.
struct ShardNumber {
  static constexpr std::uint32_t most = 4096;

  std::uint32_t index = 1; ///< from 1 to `of`
  std::uint32_t of = 1;    ///< at most `most`

  bool operator==(const ShardNumber&) const = default;
};

/// `2/4`.
inline std::string to_string(const ShardNumber& number) {
  return std::to_string(number.index) + '/' + std::to_string(number.of);
}

} // namespace hostpin
