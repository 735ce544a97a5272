// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/refused.hpp"

#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin::loader;
using hostpin::Severity;
using hostpin::binary::Refusal;

namespace {

std::optional<Verdict> verdict(Refusal refusal, Use use, const GlibcRange& range = {}) {
  const std::vector<Verdict> all = verdicts({refusal}, use, range);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::optional<Severity> severity(Refusal refusal, Use use, const GlibcRange& range = {}) {
  const auto one = verdict(refusal, use, range);
  return one ? std::optional(one->severity) : std::nullopt;
}

constexpr GlibcRange promised_2_28{28, true}, promised_2_35{35, true};

} // namespace

TEST_CASE("what every glibc refuses is an error however the file is used") {
  for (const Use use : {Use::program, Use::installed, Use::opened, Use::module})
    CHECK(severity(Refusal::os_abi, use) == Severity::error);
}

TEST_CASE("what only older releases refuse is an error where one of them is promised") {
  CHECK(severity(Refusal::small_alignment, Use::installed) == Severity::warning);
  CHECK(severity(Refusal::small_alignment, Use::opened, promised_2_28) == Severity::error);
  CHECK_FALSE(severity(Refusal::small_alignment, Use::opened, promised_2_35));
}

TEST_CASE("what is refused only where a process opens it depends on the use") {
  CHECK_FALSE(severity(Refusal::executable_stack, Use::program));
  CHECK(severity(Refusal::executable_stack, Use::installed) == Severity::warning);
  CHECK(severity(Refusal::executable_stack, Use::opened) == Severity::error);
  CHECK(severity(Refusal::not_for_opening, Use::installed) == Severity::note);
  CHECK(severity(Refusal::not_for_opening, Use::module) == Severity::error);
  CHECK(severity(Refusal::static_tls, Use::module) == Severity::note);
}

TEST_CASE("only a module that is a program is wrong, not a program among libraries") {
  for (const Refusal refusal : {Refusal::program, Refusal::fixed_address}) {
    CHECK(severity(refusal, Use::module) == Severity::error);
    CHECK_FALSE(severity(refusal, Use::opened));
    CHECK_FALSE(severity(refusal, Use::installed));
  }
}

TEST_CASE("a verdict has the loader's message and the releases") {
  const auto one = verdict(Refusal::executable_stack, Use::opened);
  REQUIRE(one);
  CHECK(one->rule == "executable-stack");
  CHECK(one->described ==
        "requests an executable stack, and is refused by glibc 2.41 and newer where a process "
        "opens it: cannot enable executable stack as shared object requires");
  CHECK(one->fix == "link it with -Wl,-z,noexecstack");
  CHECK(verdict(Refusal::misplaced_segment, Use::opened)->described ==
        "has a segment whose address and offset differ by no multiple of its alignment, and is refused by "
        "glibc "
        "2.34 and older: ELF load command address/offset not properly aligned");
  CHECK(verdict(Refusal::small_alignment, Use::opened)->rule == "misaligned-segment");
}

TEST_CASE("each message of the loader is reported once, with the most harm") {
  const auto all =
      verdicts({Refusal::read_only_dynamic_section, Refusal::missing_table, Refusal::os_abi}, Use::installed);
  REQUIRE(all.size() == 2);
  CHECK(all[0].described.starts_with("lacks a table, or a size, that goes with another one"));
  CHECK(all[0].severity == Severity::error);
  CHECK(all[1].message == "ELF file OS ABI invalid");
}
