// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/declaration.hpp"

#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hostpin;
using namespace hostpin::probe;

namespace {

constexpr bool toolkit = true;
constexpr bool libc = false;

FunctionDeclaration declaration(bool side, Promise promise = Promise::none, bool system = false) {
  return {"f",
          "double",
          "double",
          promise,
          true,
          side,
          system,
          false,
          side == toolkit ? std::string("/cuda/crt/math_functions.h") : std::string("/usr/include/math.h"),
          side == toolkit ? 1U : 2U};
}

std::vector<Clash> clashes(const std::vector<FunctionDeclaration>& declarations) {
  unsigned compared = 0;
  return clashes_among(declarations, compared);
}

struct Spelling {
  std::string_view name;
  Promise promise;
};
// The names of specifications in the measurement: __attribute__((nothrow)) promises nothing to EDG.
constexpr Spelling spellings[] = {{"none", Promise::none},      {"attr", Promise::none},
                                  {"throw0", Promise::nothing}, {"noexT", Promise::nothing},
                                  {"noexF", Promise::throws},   {"thrInt", Promise::listed}};

// The pairs that cudafe++ of CUDA 11.2, 12.4 and 13.0 all refused: first declaration, then second.
const std::set<std::string> refused_elsewhere = {
    "attr_noexT",  "attr_thrInt",  "attr_throw0",  "noexF_noexT",  "noexF_thrInt", "noexF_throw0",
    "noexT_attr",  "noexT_noexF",  "noexT_none",   "noexT_thrInt", "none_noexT",   "none_thrInt",
    "none_throw0", "thrInt_attr",  "thrInt_noexF", "thrInt_noexT", "thrInt_none",  "thrInt_throw0",
    "throw0_attr", "throw0_noexF", "throw0_none",  "throw0_thrInt"};
// The same if the first one is marked device_builtin: omitting a promise is accepted.
const std::set<std::string> refused_after_a_builtin = {
    "attr_noexT",   "attr_thrInt",   "attr_throw0",  "noexF_noexT",  "noexF_thrInt", "noexF_throw0",
    "noexT_noexF",  "noexT_thrInt",  "none_noexT",   "none_thrInt",  "none_throw0",  "thrInt_noexF",
    "thrInt_noexT", "thrInt_throw0", "throw0_noexF", "throw0_thrInt"};
// And where it is in a system header, marked or not.
const std::set<std::string> refused_after_a_system_header = {"noexT_noexF",  "noexT_thrInt",  "thrInt_noexF",
                                                             "thrInt_noexT", "thrInt_throw0", "throw0_noexF",
                                                             "throw0_thrInt"};

} // namespace

TEST_CASE("promises clash exactly where nvcc's front end was seen to refuse them") {
  for (const bool system : {false, true})
    for (const bool builtin : {false, true})
      for (const Spelling& first : spellings)
        for (const Spelling& second : spellings) {
          const std::string pair = fmt::format("{}_{}", first.name, second.name);
          CAPTURE(pair);
          CAPTURE(system);
          CAPTURE(builtin);
          const auto& refused = system    ? refused_after_a_system_header
                                : builtin ? refused_after_a_builtin
                                          : refused_elsewhere;
          FunctionDeclaration one = declaration(toolkit, first.promise, system);
          one.builtin = builtin;
          // The location of the second one makes no difference.
          for (const bool second_system : {false, true})
            CHECK(clashes({one, declaration(libc, second.promise, second_system)}).empty() ==
                  !refused.contains(pair));
        }
}

TEST_CASE("a clash has both locations and what each side declares") {
  const auto found = clashes({declaration(toolkit), declaration(libc, Promise::nothing)});
  REQUIRE(found.size() == 1);
  CHECK(found[0] == Clash{"f",
                          {"/cuda/crt/math_functions.h", 1, true, "no exception specification"},
                          {"/usr/include/math.h", 2, false, "noexcept"},
                          Clash::Kind::exceptions});
}

TEST_CASE("a declaration that one side repeats is no clash") {
  CHECK(clashes({declaration(libc), declaration(libc, Promise::nothing)}).empty());
  CHECK(clashes({declaration(toolkit, Promise::nothing), declaration(toolkit)}).empty());
}

TEST_CASE("a function is named once, however often it clashes") {
  CHECK(clashes(
            {declaration(toolkit), declaration(libc, Promise::nothing), declaration(libc, Promise::nothing)})
            .size() == 1);
}

TEST_CASE("the first declaration decides, whoever repeats it") {
  const auto found = clashes({declaration(toolkit, Promise::nothing), declaration(toolkit, Promise::nothing),
                              declaration(libc, Promise::nothing), declaration(libc)});
  REQUIRE(found.size() == 1);
  CHECK(found[0].libc.says == "no exception specification");
}

TEST_CASE("another result with the same parameters clashes under either linkage") {
  for (const bool c_linkage : {false, true}) {
    FunctionDeclaration first = declaration(toolkit);
    FunctionDeclaration second = declaration(libc);
    first.c_linkage = second.c_linkage = c_linkage;
    second.result = "float";
    const auto found = clashes({first, second});
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == Clash::Kind::types);
    CHECK(found[0].toolkit.says == "double (double)");
    CHECK(found[0].libc.says == "float (double)");
  }
}

TEST_CASE("other parameters are an overload, unless both have C linkage") {
  for (const bool first_c : {false, true})
    for (const bool second_c : {false, true}) {
      FunctionDeclaration first = declaration(toolkit);
      FunctionDeclaration second = declaration(libc, Promise::nothing);
      first.c_linkage = first_c;
      second.c_linkage = second_c;
      second.parameters = "float";
      const auto found = clashes({first, second});
      CHECK(found.size() == (first_c && second_c ? 1U : 0U));
      if (!found.empty())
        CHECK(found[0].kind == Clash::Kind::types);
    }
}

TEST_CASE("C linkage after C++ linkage clashes, the other way round it is inherited") {
  FunctionDeclaration first = declaration(toolkit);
  FunctionDeclaration second = declaration(libc);
  first.c_linkage = false;
  const auto found = clashes({first, second});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Clash::Kind::linkage);
  CHECK(found[0].toolkit.says == "C++ linkage");
  CHECK(found[0].libc.says == "C linkage");
  CHECK(clashes({second, first}).empty());
}

TEST_CASE("clashes come in the order of names, and only shared functions count as compared") {
  std::vector<FunctionDeclaration> declarations;
  for (const char* const name : {"zeta", "alpha"})
    for (const bool side : {toolkit, libc}) {
      declarations.push_back(declaration(side, side == libc ? Promise::nothing : Promise::none));
      declarations.back().name = name;
    }
  declarations.push_back(declaration(libc));
  declarations.back().name = "alone";
  unsigned compared = 0;
  const auto found = clashes_among(declarations, compared);
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "alpha");
  CHECK(found[1].name == "zeta");
  CHECK(compared == 2);
}
