// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/runtime_rules.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::cxx;

namespace {

using Rule = plan::PlanRuntime::Rule;

Compiler compiler(Family family, Version version, const std::string& product = {}) {
  Compiler made;
  made.family = family;
  made.version = version;
  made.product = product;
  made.front_end = std::string(to_string(family)) + to_string(version);
  return made;
}

Compiler gcc(int major, int minor, int patch = 0) {
  return compiler(Family::gcc, {major, minor, patch});
}
Compiler clang(int major) {
  return compiler(Family::clang, {major, 1, 0});
}

/// One letter for each feature, in order: c crosses, r is refused, o is one-compiler.
std::string letters(const Compiler& host, const Compiler& link,
                    const std::map<std::string, std::string>& overrides = {}) {
  std::string result;
  for (const plan::RuntimeRule& rule : runtime_rules(host, link, overrides))
    result += rule.rule == Rule::cross ? 'c' : rule.rule == Rule::refuse ? 'r' : 'o';
  return result;
}

} // namespace

TEST_CASE("GCC's sanitizers, OpenMP and -pg cross to a newer GCC; coverage, profiles and LTO do not") {
  CHECK(letters(gcc(13, 3), gcc(15, 1)) == "crrccr");
  CHECK(letters(gcc(9, 3), gcc(16, 2)) == "crrccr");
}

TEST_CASE("a runtime older than the code that calls it is not trusted") {
  CHECK(letters(gcc(15, 1), gcc(13, 3)) == "rrrrcr");
  CHECK(letters(clang(19), clang(16)) == "rrrrcr");
}

TEST_CASE("two builds of one GCC release share everything, a point release apart all but LTO") {
  CHECK(letters(gcc(13, 3), compiler(Family::gcc, {13, 3, 0}, "other")) == ""); // the same front end
  Compiler other = gcc(13, 3);
  other.front_end = "/nix/cc1plus";
  CHECK(letters(gcc(13, 3), other) == "cccccc");
  CHECK(letters(gcc(13, 3), gcc(13, 3, 1)) == "cccccr");
  CHECK(letters(gcc(13, 2), gcc(13, 3)) == "crrccr");
}

TEST_CASE("Clang's profiles cross where the raw format is the same") {
  CHECK(letters(clang(14), clang(17)) == "cccccc");
  CHECK(letters(clang(16), clang(19)) == "ccrccc");
  CHECK(letters(clang(19), clang(22)) == "cccccc");
  CHECK(letters(clang(13), clang(14)) == "ccrccc");
  CHECK(letters(clang(22), clang(99)) == "ccrccc"); // 99 was not measured
}

TEST_CASE("across families and for unknown compilers only -pg crosses") {
  CHECK(letters(gcc(13, 3), clang(19)) == "rrrrcr");
  CHECK(letters(clang(19), gcc(15, 1)) == "rrrrcr");
  const Compiler icx = compiler(Family::other, {2024, 1, 0}, "icx");
  Compiler icx_next = icx;
  icx_next.front_end = "next";
  CHECK(letters(icx, icx_next) == "rrrrcr");
  CHECK(runtime_rules(icx, gcc(13, 3), {}).front().reason ==
        "icx 2024.1 and GCC 13.3 are not known to share a runtime");
}

TEST_CASE("one compiler for both needs no rules") {
  CHECK(letters(gcc(13, 3), gcc(13, 3)).empty());
}

TEST_CASE("each rule names its feature and both releases in its reason") {
  const auto rules = runtime_rules(gcc(13, 3), gcc(15, 1), {});
  REQUIRE(rules.size() == 6);
  CHECK(rules[1].feature == "coverage");
  CHECK(rules[1].reason ==
        "libgcov of GCC 15.1 drops the data of objects stamped by GCC 13.3, at best with `Version mismatch`");
  CHECK(rules[5].feature == "lto");
}

TEST_CASE("the configuration's word replaces a rule, not its reason") {
  const auto rules =
      runtime_rules(gcc(13, 3), gcc(15, 1), {{"coverage", "one-compiler"}, {"openmp", "refuse"}});
  CHECK(rules[1].rule == Rule::one_compiler);
  CHECK(rules[1].reason.find("stamped by GCC 13.3") != std::string::npos);
  CHECK(rules[3].rule == Rule::refuse);
}

TEST_CASE("what would be refused is dropped on request, and what crosses is left alone") {
  auto rules = runtime_rules(gcc(13, 3), gcc(15, 1), {});
  drop_refused(rules, RuntimeFeature::lto);
  CHECK(rules[5].rule == Rule::drop);
  CHECK(rules[1].rule == Rule::refuse);
  auto crossing = runtime_rules(clang(16), clang(19), {});
  drop_refused(crossing, RuntimeFeature::lto);
  CHECK(crossing[5].rule == Rule::cross);
  auto one = runtime_rules(gcc(13, 3), gcc(15, 1), {{"lto", "one-compiler"}});
  drop_refused(one, RuntimeFeature::lto);
  CHECK(one[5].rule == Rule::one_compiler);
}

TEST_CASE("an override that means nothing is an error that names what there is") {
  CHECK_FALSE(runtime_override_error({{"coverage", "one-compiler"}, {"lto", "refuse"}}).has_value());
  const auto unknown = runtime_override_error({{"covrage", "refuse"}});
  REQUIRE(unknown.has_value());
  CHECK(unknown->message == "[runtime] knows no feature \"covrage\"");
  CHECK(unknown->hint == "did you mean coverage? features: sanitize, coverage, profile, openmp, pg, lto");
  CHECK(runtime_override_error({{"lto", "cross"}}).has_value());
  CHECK(runtime_override_error({{"covrage", "refuse"}}, {{"runtime.covrage", "/etc/c.toml:2:11"}})
            ->message.starts_with("/etc/c.toml:2:11: [runtime] knows no"));
}
