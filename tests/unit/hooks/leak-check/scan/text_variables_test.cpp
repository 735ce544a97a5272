// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/needles/path_text.hpp"
#include "hooks/leak-check/scan/text.hpp"
#include "hooks/leak-check/scan/text_variables.hpp"
#include "tests/tree.hpp"
#include "toolchains/base/process.hpp"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

constexpr int many = 1000; // times 60,000 bytes are more than a file may expand to

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

TEST_CASE("one line of CMake has the limit of a file, and truncation is reported") {
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

TEST_CASE("a command of CMake has a limit of arguments, also in one line") {
  std::string text = "set(x";
  for (int i = 0; i < 20000; ++i)
    text += " a";
  CMakeVariables variables;
  variables.line(text + ")set(y a)");
  CHECK(variables.is_cut());
  CHECK(variables.values().at("x").size() == 2 * 10000 - 1);
  CHECK(variables.values().at("y") == "a");
}

TEST_CASE("an argument in brackets keeps the ends of its lines, as in CMake itself") {
  const std::string text = "set(X [[/opt\n/gcc-11]])\n"
                           "set(X2 [[\n/opt\n\n/gcc-11\n]])\n"
                           "set(X3 [=[\n\n]]/opt]=])\n"
                           "set(X4 a [[\n]] [[b\n]])\n"
                           "set(X5 a #[[\n]]\nb #[[ c\n]] c)\n";
  CMakeVariables variables;
  for (const std::string& line : split(text, "\n"))
    variables.line(line);
  CHECK(variables.values().at("X") == "/opt\n/gcc-11");

  const test::Tree tree;
  std::string script = text;
  for (const auto& [name, value] : variables.values())
    script.append("file(WRITE ").append(tree.path(name)).append(" \"${").append(name).append("}\")\n");
  const std::vector<Command> commands = {{{"cmake", "-P", tree.write("x.cmake", script)}, {}, {}}};
  const Outcome run = HostProcesses().run(commands).at(0);
  if (run.end == Outcome::End::not_started) {
    MESSAGE("skipped: there is no cmake");
    return;
  }
  CAPTURE(run.errors);
  CHECK(run.ok());
  CHECK(variables.values().size() == 5);
  for (const auto& [name, value] : variables.values()) {
    CAPTURE(name);
    std::ifstream file(tree.path(name), std::ios::binary);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == value);
  }
}
