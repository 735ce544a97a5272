// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/libc/clash.hpp"

#include <array>
#include <cstddef>

namespace hostpin {

const char* to_string(Clash::Kind kind) {
  constexpr std::array<const char*, 3> words = {"exceptions", "types", "linkage"};
  return words[static_cast<std::size_t>(kind)];
}

std::string names(const std::vector<Clash>& clashes) {
  std::string text;
  for (std::size_t i = 0; i < clashes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == clashes.size() ? " and " : ", ") + clashes[i].name;
  return text;
}

} // namespace hostpin
