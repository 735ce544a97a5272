// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/survey/relation.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;

namespace {

Compiler compiled_by(const std::string& driver, const std::string& target, const std::string& front_end) {
  Compiler made;
  made.command = {driver};
  made.target = target;
  made.front_end = front_end;
  return made;
}

const Compiler plain = compiled_by("/usr/bin/g++", "x86_64-linux-gnu", "/usr/libexec/cc1plus");
const Compiler mpi = compiled_by("/usr/bin/mpicxx", "x86_64-linux-gnu", "/usr/libexec/cc1plus");
const Compiler for_arm =
    compiled_by("/usr/bin/aarch64-linux-gnu-g++", "aarch64-linux-gnu", "/usr/libexec/aarch64/cc1plus");

Judgement judgement(const Compiler& compiler, Verdict verdict, const std::string& reason) {
  return {compiler, verdict, reason, "", false};
}

} // namespace

TEST_CASE("a compiler that fits and makes programs for another target is no plain fit") {
  FakeFiles files;
  files.file("/usr/bin/g++").file("/usr/bin/aarch64-linux-gnu-g++");
  const auto all = relations({plain, for_arm}, plain, files);
  REQUIRE(all.size() == 2);
  CHECK(all[0].other_target.empty());
  CHECK(all[1].other_target == "aarch64-linux-gnu");
  const Judgement fits = judgement(for_arm, Verdict::fits, "within 6-13");
  CHECK(verdict_word(fits, all[1]) == "other-target");
  CHECK(reason_of(fits, all[1], plain) == "makes programs for aarch64-linux-gnu, not for x86_64-linux-gnu");
  const Judgement newer = judgement(for_arm, Verdict::too_new, "newer than 13");
  CHECK(verdict_word(newer, all[1]) == "too-new");
  CHECK(reason_of(newer, all[1], plain) == "newer than 13");
  CHECK(verdict_word(judgement(plain, Verdict::fits, ""), all[0]) == "fits");
}

TEST_CASE("a wrapper names the compiler that it runs") {
  FakeFiles files;
  files.file("/usr/bin/g++").file("/usr/bin/mpicxx");
  const auto all = relations({mpi, plain}, plain, files);
  CHECK(all[0].wraps == "/usr/bin/g++");
  CHECK(all[1].wraps.empty());
  CHECK(reason_of(judgement(mpi, Verdict::fits, "within 6-13"), all[0], plain) ==
        "within 6-13; a wrapper of /usr/bin/g++");
  // the compiler itself may be none of the candidates
  CHECK(relations({mpi}, plain, files).front().wraps == "/usr/libexec/cc1plus");
}
