// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/preprocess.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;

namespace {

HeaderSearchPlan plan() {
  HeaderSearchPlan plan;
  plan.triple = "x86_64-linux-gnu";
  plan.gcc_version = "13.3.0";
  plan.resources = "/nonexistent";
  return plan;
}

std::string words(const HeaderSearchPlan& how, const char* source) {
  const auto result = preprocessed(how, source);
  return result ? result->words : "error: " + result.error().message;
}

} // namespace

TEST_CASE("a source is preprocessed for the requested target and GCC") {
  CHECK(words(plan(), "p __SIZEOF_POINTER__ __GNUC__ __GNUC_MINOR__") == "p 8 13 3 ");
  HeaderSearchPlan narrow = plan();
  narrow.triple = "i686-linux-gnu";
  CHECK(words(narrow, "p __SIZEOF_POINTER__") == "p 4 ");
  HeaderSearchPlan arm = plan();
  arm.triple = "aarch64-linux-gnu";
  CHECK(words(arm, "__aarch64__") == "1 ");
}

TEST_CASE("flags have an effect") {
  HeaderSearchPlan with = plan();
  with.flags = {"-DA=7", "-std=c++14"};
  CHECK(words(with, "A __cplusplus") == "7 201402L ");
  with.flags = {"-std=c++99"};
  CHECK(words(with, "A").starts_with("error: Clang's preprocessor does not accept these flags: "));
}

TEST_CASE("what is missing or wrong is reported, and the rest is read") {
  const auto result = preprocessed(plan(), "#include <absent.h>\n#error no\nrest\n");
  REQUIRE(result);
  CHECK(result->missing == std::vector<std::string>{"absent.h"});
  CHECK(result->mistake == "hostpin-facts.cpp:2: no");
  CHECK(result->words == "rest ");
}

TEST_CASE("an unknown target is an error") {
  HeaderSearchPlan unknown = plan();
  unknown.triple = "pdp11-dec-unix";
  CHECK(words(unknown, "p").starts_with("error: there is no target 'pdp11-dec-unix'"));
}
