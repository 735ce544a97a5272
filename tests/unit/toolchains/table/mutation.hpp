// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace hostpin {

/// Damages a text at random but reproducibly: bytes flipped, pieces cut, doubled or moved, TOML's own marks
/// inserted.
class Mutations {
public:
  explicit Mutations(unsigned seed) : random_(seed) {}

  std::string mutated(std::string text) {
    const std::size_t wounds = 1 + below(4);
    for (std::size_t i = 0; i < wounds && !text.empty(); ++i)
      wound(text);
    return text;
  }

private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  void wound(std::string& text) {
    constexpr std::string_view marks[] = {"[", "]",  "[[",   "\"",  "\"\"\"",  "'",
                                          "=", "\n", "{",    "}",   "\\u0000", "#",
                                          ".", ",",  "\xff", "1e9", "\r",      "99999999999999999999"};
    const std::size_t at = below(text.size()), length = 1 + below(40);
    switch (below(6)) {
    case 0:
      text[at] = static_cast<char>(below(256));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, text.substr(at, length));
      break;
    case 3:
      text.insert(at, marks[below(std::size(marks))]);
      break;
    case 4:
      text.resize(at);
      break;
    default:
      text.insert(below(text.size()), text.substr(at, length));
    }
  }

  std::mt19937 random_;
};

} // namespace hostpin
