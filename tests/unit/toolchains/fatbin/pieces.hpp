// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/unit/toolchains/binary/fatbin_pieces.hpp"
#include "toolchains/fatbin/inventory.hpp"

#include <string>

// What a reader says of fatbins.

namespace hostpin::test {

using namespace fatbin;

/// `8.0 machine code x2 in 1`, with `, ` between them; damage behind a `!`.
inline std::string told(const std::string& bytes) {
  const binary::InputFile file(bytes);
  Holding holding;
  const auto kind = read_device_code(binary::Bytes(file), holding);
  std::string text;
  if (kind)
    text = to_string(*kind);
  else
    text.append(1, '!').append(kind.error().what);
  for (const auto& [held, amount] : holding.codes) {
    text.append(", ").append(to_string(held));
    text.append(" x").append(std::to_string(amount.entries));
    text.append(" in ").append(std::to_string(amount.fatbins));
  }
  return text;
}

} // namespace hostpin::test
