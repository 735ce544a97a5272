// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/libc/comparison.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

const char* const cospi = R"({
  "c_library": "glibc 2.41", "compared": 159, "lenient": false,
  "clashes": [{"name": "cospi", "kind": "exceptions",
    "toolkit": {"file": "/cuda/include/crt/math_functions.h", "line": 5554, "throws": true,
                "says": "no exception specification"},
    "libc": {"file": "/usr/include/bits/mathcalls.h", "line": 79, "throws": false, "says": "noexcept"}}],
  "rests_on": []
})";

class FakeProbe final : public HeaderProbe {
public:
  std::vector<Result<std::string>> ask(std::span<const ProbeCall> calls) const override {
    ++rounds;
    asked.assign(calls.begin(), calls.end());
    std::vector<Result<std::string>> answers;
    for (const ProbeCall& call : calls)
      if (std::find(call.begin(), call.end(), "/broken/include") != call.end())
        answers.emplace_back(failure("it includes itself"));
      else
        answers.emplace_back(cospi);
    return answers;
  }

  mutable int rounds = 0;
  mutable std::vector<ProbeCall> asked;
};

Toolkit toolkit() {
  Toolkit result;
  result.version = {12, 4, 131};
  result.include_directories = {"/cuda/include", "/cuda/include/cccl"};
  return result;
}

Compiler compiler(const std::string& root, Family family = Family::gcc) {
  Compiler result;
  result.family = family;
  result.version = {13, 3, 0};
  result.target = "x86_64-linux-gnu";
  result.include_directories = {root + "/include/c++/13", root + "/include"};
  result.c_headers = root + "/include";
  return result;
}

Clash clash(const std::string& name, unsigned libc_line, unsigned toolkit_line) {
  return {name, {"/cuda/crt/math.h", toolkit_line, true, ""}, {"/usr/math.h", libc_line, false, ""}};
}

} // namespace

TEST_CASE("an answer of the probe becomes clashes") {
  const auto clashes = read_clashes(cospi);
  REQUIRE(clashes.has_value());
  REQUIRE(clashes->size() == 1);
  CHECK(clashes->front() ==
        Clash{"cospi",
              {"/cuda/include/crt/math_functions.h", 5554, true, "no exception specification"},
              {"/usr/include/bits/mathcalls.h", 79, false, "noexcept"},
              Clash::Kind::exceptions});
}

TEST_CASE("what is no answer is an error, never the absence of clashes") {
  for (const char* const text :
       {"", "{", "[]", "{}", R"({"clashes": 1})", R"({"clashes": [{"name": "f"}]})",
        R"({"clashes": [{"name": "f", "kind": "exceptions", "toolkit": {}, "libc": {}}]})"})
    CHECK_FALSE(read_clashes(text).has_value());
}

TEST_CASE("each C library is compared once, and all at the same time") {
  const FakeProbe probe;
  const std::vector<Compiler> compilers = {compiler("/usr"), compiler("/usr", Family::clang),
                                           compiler("/root"), compiler("/other", Family::other)};
  const auto comparisons = compare_libcs(toolkit(), compilers, probe);
  CHECK(probe.rounds == 1);
  REQUIRE(comparisons.size() == 2);
  CHECK(comparisons[0].c_headers == "/usr/include");
  CHECK(comparisons[1].c_headers == "/root/include");
  const ProbeCall first = {"libc",
                           "--json",
                           "--release",
                           "12.4.131",
                           "--compiler",
                           "13.3.0",
                           "--target",
                           "x86_64-linux-gnu",
                           "--toolkit-include",
                           "/cuda/include",
                           "--toolkit-include",
                           "/cuda/include/cccl",
                           "--headers",
                           "/usr/include/c++/13",
                           "--headers",
                           "/usr/include"};
  CHECK(probe.asked.front() == first);
}

TEST_CASE("a failed comparison is an error for that C library only") {
  const FakeProbe probe;
  const auto comparisons =
      compare_libcs(toolkit(), std::vector<Compiler>{compiler("/broken"), compiler("/usr")}, probe);
  REQUIRE(comparisons.size() == 2);
  REQUIRE_FALSE(comparisons[0].clashes.has_value());
  CHECK(comparisons[0].clashes.error().message == "it includes itself");
  CHECK(comparisons[1].clashes.has_value());
}

TEST_CASE("a compiler whose C library was not found is an error, not a pass") {
  const FakeProbe probe;
  Compiler lost = compiler("/usr");
  lost.c_headers.clear();
  lost.command = {"/usr/bin/g++"};
  const auto comparisons = compare_libcs(toolkit(), std::vector<Compiler>{lost, lost}, probe);
  REQUIRE(comparisons.size() == 1);
  CHECK(comparisons[0].c_headers.empty());
  REQUIRE_FALSE(comparisons[0].clashes.has_value());
  CHECK(comparisons[0].clashes.error().message ==
        "no include directory of /usr/bin/g++ has a C library's <math.h>");
}

TEST_CASE("functions are listed with commas and `and`") {
  CHECK(names({}).empty());
  CHECK(names({clash("a", 1, 1)}) == "a");
  CHECK(names({clash("a", 1, 1), clash("b", 1, 1)}) == "a and b");
  CHECK(names({clash("a", 1, 1), clash("b", 1, 1), clash("c", 1, 1)}) == "a, b and c");
}

TEST_CASE("locations are listed by file, each line once") {
  CHECK(places({}).empty());
  CHECK(places({clash("a", 79, 5554), clash("af", 79, 5606), clash("b", 81, 5442)}) ==
        "/usr/math.h:79,81; /cuda/crt/math.h:5442,5554,5606");
}
