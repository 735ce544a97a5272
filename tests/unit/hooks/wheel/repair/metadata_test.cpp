// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/repair/metadata.hpp"

#include <doctest/doctest.h>

using namespace hostpin::wheel;

TEST_CASE("requirements replace those on the same distributions, next to the others") {
  const char* const text =
      "Name: p\nRequires-Dist: numpy\nRequires-Dist: Nvidia_Cublas>=12\n"
      "Requires-Dist: nvidia-cublas ; extra == 'gpu'\nLicense: x\n  more\n\nRequires-Dist: body\n";
  CHECK(with_requirements(text, {{"nvidia-cublas", "nvidia-cublas>=13,<14"}}) ==
        "Name: p\nRequires-Dist: numpy\nRequires-Dist: nvidia-cublas ; extra == 'gpu'\n"
        "Requires-Dist: nvidia-cublas>=13,<14\nLicense: x\n  more\n\nRequires-Dist: body\n");
  CHECK(with_requirements("Name: p", {{"a", "a"}}) == "Name: p\nRequires-Dist: a\n");
  CHECK(with_requirements("Name: p\r\n\r\nbody", {{"a", "a"}}) == "Name: p\r\nRequires-Dist: a\n\r\nbody");
}

TEST_CASE("tags replace all tags") {
  CHECK(with_tags("Wheel-Version: 1.0\nTag: a-b-c\nTag: d-e-f\nBuild: 1\n", {"x-y-z"}) ==
        "Wheel-Version: 1.0\nTag: x-y-z\nBuild: 1\n");
}
