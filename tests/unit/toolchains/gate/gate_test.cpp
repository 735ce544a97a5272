// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/gate/fake_preprocessor.hpp"
#include "toolchains/gate/gate.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;

using Macros = FakePreprocessor::Macros;
using Problem = FakePreprocessor::Problem;
using Problems = std::vector<Problem>;
using Style = FakePreprocessor::Style;

namespace {

int value(const Macros& macros, const char* name) {
  const auto found = macros.find(name);
  return found == macros.end() ? 0 : found->second;
}

/// What NVIDIA's header says, with the lines of 12.4.
Problems usual(const Macros& macros) {
  Problems problems;
  const bool clang = macros.count("__clang__") != 0;
  const int major = value(macros, "__clang_major__"), minor = value(macros, "__clang_minor__");
  if (value(macros, "__CUDACC__") == 0 || macros.count("__NV_NO_HOST_COMPILER_CHECK") != 0)
    return problems;
  if (macros.count("__HORIZON__") != 0 || macros.count("__INTEL_CLANG_COMPILER") != 0)
    problems.push_back({120});
  if (value(macros, "__GNUC__") > 13)
    problems.push_back({143});
  if (clang && (major >= 18 || major < 3 || (major == 3 && minor < 3)))
    problems.push_back({157});
  return problems;
}

Problems nothing(const Macros&) {
  return {};
}

Toolkit some_toolkit() {
  Toolkit toolkit;
  toolkit.root = "/cuda";
  toolkit.version = {12, 4, 131};
  toolkit.host_config = "/cuda/include/crt/host_config.h";
  toolkit.include_directories = {"/cuda/include"};
  return toolkit;
}

Compiler some_compiler(Family family = Family::gcc) {
  Compiler compiler;
  compiler.family = family;
  compiler.command = {"ccache", "/usr/bin/g++", "-m64"};
  return compiler;
}

Result<Gate> evaluated(const FakePreprocessor& fake) {
  const bool clang = fake.style == Style::clang || fake.style == Style::old_clang;
  return evaluate_gate(some_toolkit(), some_compiler(clang ? Family::clang : Family::gcc), fake);
}

void check_usual(const Result<Gate>& gate) {
  REQUIRE(gate.has_value());
  CHECK(gate->gcc == Bounds{std::nullopt, 13});
  CHECK(gate->clang == Bounds{4, 17});
  REQUIRE(gate->refusal(Family::gcc, 14) != nullptr);
  CHECK(gate->refusal(Family::gcc, 14)->where == "crt/host_config.h:143");
  REQUIRE(gate->refusal(Family::clang, 18) != nullptr);
  CHECK(gate->refusal(Family::clang, 18)->where == "crt/host_config.h:157");
  CHECK(gate->refusal(Family::clang, 3) != nullptr);
  CHECK(gate->refusal(Family::gcc, 13) == nullptr);
  CHECK(gate->refusal(Family::clang, 17) == nullptr);
}

} // namespace

TEST_CASE("the bounds are read from the diagnostics of GCC and Clang, old and new") {
  for (const Style style : {Style::gcc, Style::old_gcc, Style::clang, Style::old_clang}) {
    FakePreprocessor fake(usual);
    fake.style = style;
    check_usual(evaluated(fake));
    CHECK(fake.commands.size() == 1);
  }
}

TEST_CASE("refusals come in ascending order within a family") {
  const auto gate = evaluated(FakePreprocessor(usual));
  REQUIRE(gate.has_value());
  CHECK(std::is_sorted(gate->refusals.begin(), gate->refusals.end(), [](const auto& left, const auto& right) {
    return left.family == right.family ? left.major < right.major : left.family < right.family;
  }));
}

TEST_CASE("bounds are wherever a header puts them") {
  struct Row {
    int gcc_min, gcc_max;
    Bounds gcc;
  };
  const Row rows[] = {
      {0, 99, {}},    {0, 13, {std::nullopt, 13}}, {6, 99, {6, std::nullopt}}, {6, 13, {6, 13}},
      {9, 9, {9, 9}}, {50, 60, {std::nullopt, 2}}};
  for (const Row& row : rows) {
    const auto gate = evaluated(FakePreprocessor([&](const Macros& macros) {
      const int major = value(macros, "__GNUC__");
      const bool refused = macros.count("__clang__") == 0 && (major < row.gcc_min || major > row.gcc_max);
      return refused ? Problems{{7}} : Problems{};
    }));
    CAPTURE(row.gcc_min);
    REQUIRE(gate.has_value());
    CHECK(gate->gcc == row.gcc);
    CHECK(gate->clang == Bounds{});
  }
}

TEST_CASE("a header without a gate yields no bounds") {
  const auto gate = evaluated(FakePreprocessor(nothing));
  REQUIRE(gate.has_value());
  CHECK(gate->gcc == Bounds{});
  CHECK(gate->clang == Bounds{});
  CHECK(gate->refusals.empty());
}

TEST_CASE("a major that is refused between accepted ones is kept as a refusal") {
  const auto gate = evaluated(FakePreprocessor([](const Macros& macros) {
    return value(macros, "__GNUC__") == 9 || value(macros, "__GNUC__") > 13 ? Problems{{7}} : Problems{};
  }));
  REQUIRE(gate.has_value());
  CHECK(gate->gcc == Bounds{std::nullopt, 13});
  CHECK(gate->refusal(Family::gcc, 9) != nullptr);
}

TEST_CASE("a guard of another name is found, and the question asked again") {
  const FakePreprocessor fake(usual, "_NV_HOST_CONFIG_INCLUDED");
  check_usual(evaluated(fake));
  CHECK(fake.commands.size() == 2);
}

TEST_CASE("a header that can only be read once is an error, with or without a gate") {
  for (const auto& header : {usual, nothing}) {
    FakePreprocessor fake(header);
    fake.reads_once = true;
    const auto gate = evaluated(fake);
    REQUIRE_FALSE(gate.has_value());
    CHECK(gate.error().message.find("only the first time") != std::string::npos);
    CHECK(gate.error().message.find("/cuda/include/crt/host_config.h") != std::string::npos);
  }
}

TEST_CASE("any error but an #error of the header's own directory is an error, never a pass") {
  const Problem problems[] = {
      {9, "missing.h: No such file or directory", "", "fatal error"},
      {9, "missing binary operator before token \"(\"", "", "error"},
      {9, "#error -- not meant for this compiler", "/usr/include/features.h", "error"},
      {9, "#error -- out of nowhere", "", "fatal error"},
  };
  for (const Style style : {Style::gcc, Style::clang, Style::old_clang})
    for (const Problem& problem : problems) {
      CAPTURE(problem.text);
      FakePreprocessor fake([&](const Macros& macros) {
        Problems all = usual(macros);
        if (value(macros, "__GNUC__") == 11)
          all.push_back(problem);
        return all;
      });
      fake.style = style;
      CHECK_FALSE(evaluated(fake).has_value());
    }
}

TEST_CASE("a preprocessor that fails in any other way is an error") {
  using End = Outcome::End;
  const std::function<void(Outcome&)> failures[] = {
      [](Outcome& outcome) { outcome.end = End::timed_out; },
      [](Outcome& outcome) { outcome.end = End::signalled, outcome.code = 11; },
      [](Outcome& outcome) { outcome.end = End::not_started, outcome.code = 2; },
      [](Outcome& outcome) { outcome.truncated = true; },
      [](Outcome& outcome) { outcome.code = 1, outcome.errors.clear(); },
      [](Outcome& outcome) { outcome.code = 0; },
      [](Outcome& outcome) { outcome.output.clear(); },
      [](Outcome& outcome) { outcome.output.resize(outcome.output.size() / 2); },
      [](Outcome& outcome) { outcome.output = std::string("\0garbage\xff", 9); },
      [](Outcome& outcome) { outcome.errors += "cc1plus: error: unrecognized command-line option\n"; },
      [](Outcome& outcome) { outcome.errors += "<stdin>:3:10: error: #error in the question itself\n"; },
  };
  for (const auto& failure : failures) {
    FakePreprocessor fake(usual);
    fake.afterwards = failure;
    const auto gate = evaluated(fake);
    REQUIRE_FALSE(gate.has_value());
    CHECK(gate.error().message.find("could not be evaluated with ccache") != std::string::npos);
    CHECK_FALSE(gate.error().hint.empty());
  }
}

TEST_CASE("what cannot be asked is not run") {
  const FakePreprocessor fake(usual);
  Toolkit toolkit = some_toolkit();
  toolkit.host_config = "/a \"quoted\" place/crt/host_config.h";
  CHECK_FALSE(evaluate_gate(toolkit, some_compiler(), fake).has_value());
  toolkit.host_config = "";
  CHECK_FALSE(evaluate_gate(toolkit, some_compiler(), fake).has_value());
  CHECK_FALSE(evaluate_gate(some_toolkit(), some_compiler(Family::other), fake).has_value());
  CHECK(fake.commands.empty());
}

TEST_CASE("the compiler is called as its user spells it, behind its own arguments") {
  const FakePreprocessor fake(usual);
  REQUIRE(evaluated(fake).has_value());
  const Command& command = fake.commands.at(0);
  const auto& argv = command.argv;
  REQUIRE(argv.size() > 6);
  CHECK(std::vector(argv.begin(), argv.begin() + 4) ==
        std::vector<std::string>{"ccache", "/usr/bin/g++", "-m64", "-E"});
  CHECK(std::vector(argv.end() - 3, argv.end()) == std::vector<std::string>{"-x", "c++", "-"});
  // It would write a dependency file behind the user's back.
  CHECK(std::count(command.unset.begin(), command.unset.end(), "DEPENDENCIES_OUTPUT") == 1);
}
