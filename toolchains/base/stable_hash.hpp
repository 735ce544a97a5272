// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/checksum.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace hostpin {

/// FNV-1a over a sequence of texts, for fingerprints of findings: stable between releases and machines, which
/// std::hash is not.
class StableHash {
public:
  StableHash& add(std::string_view text) {
    for (const char c : text)
      mix(static_cast<unsigned char>(c));
    mix(0x100); // a terminator that no byte equals
    return *this;
  }

  /// 16 lower-case hexadecimal digits.
  std::string text() const {
    const auto digits = hexadecimal(value_);
    return {digits.data(), digits.size()};
  }

private:
  void mix(unsigned value) { value_ = (value_ ^ value) * 0x100000001B3U; }

  std::uint64_t value_ = 0xCBF29CE484222325U;
};

} // namespace hostpin
