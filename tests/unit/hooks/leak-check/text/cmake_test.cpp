// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/text/cmake.hpp"
#include "hooks/leak-check/text/text.hpp"

#include <cstddef>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

constexpr int many = 1000; // of 60,000 bytes are more than may be made of a file

std::string named_often() {
  std::string text = "set(b " + std::string(60000, 'x') + ")set(x";
  for (int i = 0; i < many; ++i)
    text += " ${b}";
  return text + ")set(last a)";
}

std::string set_often() {
  std::string text = "set(b " + std::string(60000, 'x') + ")";
  for (int i = 0; i < many; ++i)
    text.append("set(a").append(std::to_string(i)).append(" ${b})");
  return text + "set(last a)";
}

std::size_t kept(const CMakeVariables& variables) {
  std::size_t size = 0;
  for (const auto& [name, value] : variables.values())
    size += name.size() + value.size();
  return size;
}

} // namespace

TEST_CASE("one line of CMake takes no more than a file may, and what is left out is told") {
  for (const std::string& text : {named_often(), set_often()}) {
    CMakeVariables variables;
    variables.line(text);
    CHECK(variables.is_cut());
    CHECK(variables.spent() <= most_composed + 2 * longest_value);
    CHECK(kept(variables) <= most_composed);
    CHECK(variables.values().count("last") == 0);
    CHECK(read_text(TextFacts::Kind::cmake, text).is_cut);
  }
}

TEST_CASE("one command of CMake has a limit of words, also in one line") {
  std::string text = "set(x";
  for (int i = 0; i < 20000; ++i)
    text += " a";
  CMakeVariables variables;
  variables.line(text + ")set(y a)");
  CHECK(variables.is_cut());
  CHECK(variables.values().at("x").size() == 2 * 10000 - 1);
  CHECK(variables.values().at("y") == "a");
}
