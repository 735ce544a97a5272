// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/needles/slashes.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

constexpr Slashes::Way ways[] = {Slashes::Way::portable, Slashes::Way::avx2, Slashes::Way::avx512};

/// Finds `/ab` and all `//`.
std::vector<std::size_t> found(Slashes::Way way, const std::string& bytes, std::size_t begin,
                               std::size_t count) {
  Slashes slashes(way);
  slashes.want('a', 'b');
  slashes.want_all_after('/');
  const auto positions = std::make_unique<Slashes::Positions>();
  const std::size_t found_wanted = slashes.find(bytes.data() + begin, count, *positions);
  return {positions->begin(), positions->begin() + static_cast<std::ptrdiff_t>(found_wanted)};
}

/// The same, written naively.
std::vector<std::size_t> expected(const std::string& bytes, std::size_t begin, std::size_t count) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string three = bytes.substr(begin + i, 3);
    if (three == "/ab" || three.starts_with("//"))
      positions.push_back(i);
  }
  return positions;
}

} // namespace

TEST_CASE("every implementation finds the same slashes, at any position and in any number") {
  std::mt19937 random(7);
  for (const std::size_t rarity : {std::size_t{1}, std::size_t{3}, std::size_t{40}, std::size_t{400}}) {
    std::string bytes(Slashes::block + 3 * Slashes::slack, ' ');
    for (char& c : bytes)
      c = random() % rarity == 0 ? '/' : "ab\0x"[random() % 4];
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64},
                                    std::size_t{65}, std::size_t{1000}, Slashes::block - 1, Slashes::block})
      for (const std::size_t begin : {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{63}})
        for (const Slashes::Way way : ways)
          if (Slashes::has(way))
            CHECK(found(way, bytes, begin, count) == expected(bytes, begin, count));
  }
}

TEST_CASE("the best implementation is one that the processor supports") {
  CHECK(Slashes::has(Slashes::best()));
  CHECK(Slashes::has(Slashes::Way::portable));
}
