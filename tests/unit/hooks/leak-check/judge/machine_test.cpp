// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/leak-check/judge/setting.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;

namespace {

constexpr binary::ElfKind aarch64{true, 183}, big_aarch64{true, 183, true}, x86_64{true, 62},
    cubin{true, 190};

/// A tree for aarch64.
struct ForAarch64 : Setting {
  ForAarch64() { policy.other_machine = aarch64; }

  ScannedFile file(ScannedFile::Kind kind) const {
    ScannedFile file;
    file.path = "lib/x";
    file.file = tree.write("out/lib/x", "");
    file.kind = kind;
    return file;
  }
  static void add(ScannedFile& file, std::vector<std::string> member, const binary::ElfKind& kind) {
    ScannedPart part;
    part.member = std::move(member);
    part.elf.emplace();
    part.elf->kind = kind;
    part.elf->type = ElfFacts::Type::relocatable;
    file.parts.push_back(std::move(part));
  }
  Findings judged_alone(const binary::ElfKind& kind) const {
    ScannedFile one = file(ScannedFile::Kind::elf);
    add(one, {}, kind);
    return judged(std::move(one));
  }
};

} // namespace

TEST_CASE("a file for another machine or byte order than the binding's target is an error") {
  ForAarch64 setting;
  CHECK(severity_of(setting.judged_alone(x86_64), Rule::foreign_machine) == Severity::error);
  CHECK(severity_of(setting.judged_alone(big_aarch64), Rule::foreign_machine) == Severity::error);
  CHECK(setting.judged_alone(x86_64).found.front().explanation ==
        "It is for x86-64, and the binding is for aarch64.");
  CHECK_FALSE(severity_of(setting.judged_alone(aarch64), Rule::foreign_machine));
  setting.policy.vendor = {setting.tree.path("out")};
  CHECK(severity_of(setting.judged_alone(x86_64), Rule::foreign_machine) == Severity::note);
}

TEST_CASE("device code is data of every machine, and without a target of its own nothing is foreign") {
  ForAarch64 setting;
  CHECK_FALSE(severity_of(setting.judged_alone(cubin), Rule::foreign_machine));
  setting.policy.other_machine.reset();
  CHECK_FALSE(severity_of(setting.judged_alone(x86_64), Rule::foreign_machine));
}

TEST_CASE("the foreign objects of a static library are one finding for each machine") {
  const ForAarch64 setting;
  ScannedFile archive = setting.file(ScannedFile::Kind::static_archive);
  archive.objects = {{{}, aarch64, "a.o", 3}, {{}, x86_64, "b.o", 2}, {{"inner.a"}, x86_64, "c.o", 1}};
  const Findings findings = setting.judged(std::move(archive));
  REQUIRE(findings.found.size() == 2);
  CHECK(findings.found[0].where.member.empty());
  CHECK(findings.found[0].reference == "x86-64");
  CHECK(findings.found[0].explanation ==
        "2 of its objects, the first of which is b.o, are for x86-64, and the binding is for aarch64.");
  CHECK(findings.found[1].where.member == std::vector<std::string>{"inner.a"});
  CHECK(findings.found[1].explanation == "Its object c.o is for x86-64, and the binding is for aarch64.");
}

TEST_CASE("a DLL is an error in a tree for Linux, and a program that starts Python's scripts a note") {
  const ForAarch64 setting;
  for (const auto& [library, severity] :
       {std::pair{true, Severity::error}, std::pair{false, Severity::note}}) {
    ScannedFile one = setting.file(ScannedFile::Kind::other);
    one.parts.emplace_back().pe = binary::PeHeader{0xaa64, library};
    CHECK(severity_of(setting.judged(std::move(one)), Rule::foreign_machine) == severity);
  }
}
