// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/judge/samples.hpp"
#include "toolchains/judge/judge.hpp"

#include <algorithm>

using namespace hostpin;

namespace {

const Toolkit cuda_12_4 = toolkit({12, 4, 131});

Judgement verdict_on(const Compiler& compiler, const Acceptance& acceptance) {
  return judge(compiler, cuda_12_4, acceptance, Table{});
}

} // namespace

TEST_CASE("the stricter of documented and derived range decides, and a difference is reported") {
  struct Row {
    std::optional<DocumentedRange> documented;
    std::optional<Gate> derived;
    int major;
    Verdict verdict;
    const char* reason;
    const char* source;
  };
  const Gate up_to_13 = gate({std::nullopt, 13}), up_to_15 = gate({std::nullopt, 15});
  const Row rows[] = {
      // Both agree.
      {documented(6, 13), up_to_13, 13, Verdict::fits, "within 6-13", "the documents"},
      {documented(6, 13), up_to_13, 6, Verdict::fits, "within 6-13", "the documents"},
      {documented(6, 13), up_to_13, 14, Verdict::too_new, "newer than 13", "crt/host_config.h:143"},
      {documented(6, 13), up_to_13, 99, Verdict::too_new, "newer than 13", "crt/host_config.h:143"},
      {documented(6, 13), up_to_13, 5, Verdict::too_old, "older than 6 (documented)", "the documents"},
      // The documents are stricter.
      {documented(6, 13), up_to_15, 13, Verdict::fits, "within 6-13", "the documents"},
      {documented(6, 13), up_to_15, 14, Verdict::too_new,
       "newer than 13 (documented; the toolkit's own gate ends at 15)", "the documents"},
      {documented(6, 13), up_to_15, 16, Verdict::too_new,
       "newer than 13 (documented; the toolkit's own gate ends at 15)", "the documents"},
      // The gate is stricter.
      {documented(6, 15), up_to_13, 13, Verdict::fits, "within 6-13", "the documents"},
      {documented(6, 15), up_to_13, 14, Verdict::too_new, "newer than 13 (15 is documented)",
       "crt/host_config.h:143"},
      {documented(6, 15), gate({8, 15}), 7, Verdict::too_old, "older than 8 (6 is documented)",
       "crt/host_config.h:143"},
      // One side only.
      {documented(6, 13), std::nullopt, 12, Verdict::fits,
       "within 6-13 as documented; crt/host_config.h was not evaluated", "the documents"},
      {documented(6, 13), std::nullopt, 14, Verdict::too_new, "newer than 13 (documented)", "the documents"},
      {std::nullopt, up_to_13, 12, Verdict::fits,
       "up to 13 by the toolkit's own gate; CUDA 12.4 is not in the table", "crt/host_config.h"},
      {std::nullopt, up_to_13, 14, Verdict::too_new, "newer than 13", "crt/host_config.h:143"},
      {documented(6, 13), gate({}), 14, Verdict::too_new, "newer than 13 (documented)", "the documents"},
      // Neither.
      {std::nullopt, gate({}), 12, Verdict::unknown, "it is not known what CUDA 12.4 accepts",
       "crt/host_config.h"},
      {std::nullopt, std::nullopt, 12, Verdict::unknown, "it is not known what CUDA 12.4 accepts", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.reason);
    CAPTURE(row.major);
    const Judgement judgement = verdict_on(gcc({row.major, 1, 0}), {row.documented, row.derived});
    CHECK(judgement.verdict == row.verdict);
    CHECK(judgement.reason == row.reason);
    CHECK(judgement.source == row.source);
  }
}

TEST_CASE("each family is compared with its own range") {
  const Acceptance acceptance{documented(6, 13, 7, 17), gate({std::nullopt, 13}, {4, 17})};
  CHECK(verdict_on(clang({17, 0, 6}), acceptance).verdict == Verdict::fits);
  CHECK(verdict_on(clang({18, 1, 8}), acceptance).source == "crt/host_config.h:157");
  CHECK(verdict_on(clang({6, 0, 0}), acceptance).reason == "older than 7 (documented)");
  CHECK(verdict_on(gcc({17, 1, 0}), acceptance).verdict == Verdict::too_new);
}

TEST_CASE("a stricter side never accepts what the laxer refuses") {
  for (int documented_max = 8; documented_max <= 16; ++documented_max)
    for (int gate_max = 8; gate_max <= 16; ++gate_max)
      for (int major = 3; major <= 18; ++major) {
        const Acceptance both{documented(6, documented_max), gate({std::nullopt, gate_max})};
        const bool fits = verdict_on(gcc({major, 1, 0}), both).verdict == Verdict::fits;
        CHECK(fits == (major >= 6 && major <= documented_max && major <= gate_max));
      }
}

TEST_CASE("a major that the gate refuses between two that it accepts is broken") {
  Gate holed = gate({std::nullopt, 13});
  holed.refusals.push_back({Family::gcc, 9, {}, "crt/host_config.h:99", "not this one"});
  const Judgement judgement = verdict_on(gcc({9, 3, 0}), {documented(6, 13), holed});
  CHECK(judgement.verdict == Verdict::broken);
  CHECK(judgement.source == "crt/host_config.h:99");
  CHECK(verdict_on(gcc({10, 3, 0}), {documented(6, 13), holed}).verdict == Verdict::fits);
}

TEST_CASE("what is neither GCC nor Clang, or has no version, is unknown") {
  const Acceptance acceptance{documented(6, 13), gate({std::nullopt, 13})};
  Compiler other = compiler(Family::other, {2024, 1, 0});
  other.product = "icx";
  CHECK(verdict_on(other, acceptance).verdict == Verdict::unknown);
  CHECK(verdict_on(other, acceptance).reason == "icx is neither GCC nor Clang");
  CHECK(verdict_on(gcc({0, 0, 0}), acceptance).verdict == Verdict::unknown);
}

TEST_CASE("an exception applies where all of its bounds hold") {
  Exception row;
  row.name = "e";
  row.toolkit_min = Version{12, 4, 0}, row.toolkit_max = Version{12, 4, 999999};
  row.family = Family::gcc;
  row.compiler_min = Version{12, 4, 0}, row.compiler_max = Version{12, 999999, 999999};
  row.glibc_min = Version{2, 35, 0};
  row.library = "libstdc++", row.target = "x86_64";
  row.reason = "the reason", row.source = "the source";
  Table table;
  table.exceptions = {row};
  const Acceptance acceptance{documented(6, 13), gate({std::nullopt, 13})};
  const Compiler hit = gcc({12, 4, 0});
  const auto broken = [&](const Compiler& compiler, const Version& version) {
    return judge(compiler, toolkit(version), acceptance, table).verdict == Verdict::broken;
  };
  CHECK(broken(hit, {12, 4, 131}));
  CHECK(judge(hit, cuda_12_4, acceptance, table).reason == "the reason");
  CHECK(judge(hit, cuda_12_4, acceptance, table).source == "the source");

  CHECK_FALSE(broken(hit, {12, 3, 107}));
  CHECK_FALSE(broken(hit, {12, 5, 0}));
  CHECK_FALSE(broken(gcc({12, 3, 0}), {12, 4, 131}));
  CHECK_FALSE(broken(gcc({13, 1, 0}), {12, 4, 131}));
  CHECK_FALSE(broken(clang({12, 4, 0}), {12, 4, 131}));
  Compiler other = hit;
  other.glibc = Version{2, 34, 0};
  CHECK_FALSE(broken(other, {12, 4, 131}));
  other.glibc.reset();
  CHECK_FALSE(broken(other, {12, 4, 131}));
  other = hit;
  other.library.kind = "libc++";
  CHECK_FALSE(broken(other, {12, 4, 131}));
  other = hit;
  other.target = "aarch64-linux-gnu";
  CHECK_FALSE(broken(other, {12, 4, 131}));
}

TEST_CASE("advice leaves the verdict at fits; a broken row outranks it, and a range outranks both") {
  Exception note;
  note.wants_warning_only = true, note.reason = "a note", note.source = "note source";
  Exception avoid = note;
  avoid.wants_another = true, avoid.reason = "better not", avoid.source = "avoid source";
  Exception broken;
  broken.reason = "it breaks", broken.source = "broken source";
  const Acceptance acceptance{documented(6, 13), gate({std::nullopt, 13})};
  Table table;
  table.exceptions = {note, avoid};
  const Judgement advised = judge(gcc({12, 2, 0}), cuda_12_4, acceptance, table);
  CHECK(advised.verdict == Verdict::fits);
  CHECK(advised.reason == "a note; better not");
  CHECK(advised.source == "note source");
  CHECK(advised.wants_another);

  table.exceptions = {note, avoid, broken};
  const Judgement refused = judge(gcc({12, 2, 0}), cuda_12_4, acceptance, table);
  CHECK(refused.verdict == Verdict::broken);
  CHECK(refused.reason == "it breaks");
  CHECK_FALSE(refused.wants_another);
  CHECK(judge(gcc({14, 2, 0}), cuda_12_4, acceptance, table).verdict == Verdict::too_new);
}

TEST_CASE("what a toolkit wants is one line") {
  CHECK(wanted({documented(6, 13), gate({std::nullopt, 13})}) == "GCC 6-13 or Clang 7-17");
  CHECK(wanted({documented(6, 15), gate({std::nullopt, 13}, {4, 16})}) == "GCC 6-13 or Clang 7-16");
  CHECK(wanted({std::nullopt, gate({std::nullopt, 13})}) == "GCC up to 13 or Clang 4-17");
  CHECK(wanted({}).empty());
}

TEST_CASE("a disagreement is reported for upper ends only") {
  CHECK(disagreements({documented(6, 13), gate({std::nullopt, 13})}).empty());
  CHECK(disagreements({documented(6, 13), std::nullopt}).empty());
  const auto lines = disagreements({documented(6, 13), gate({std::nullopt, 15}, {4, 16})});
  CHECK(lines == std::vector<std::string>{"GCC: documented up to 13, the toolkit's own gate up to 15",
                                          "Clang: documented up to 17, the toolkit's own gate up to 16"});
}

TEST_CASE("the shipped exceptions judge the pairs they were written for") {
  struct Row {
    Version toolkit;
    Compiler compiler;
    Verdict verdict;
    bool advised, avoided;
  };
  const Row rows[] = {
      {{12, 9, 86}, compiler(Family::gcc, {12, 2, 0}, {2, 40, 0}), Verdict::fits, false, false},
      {{13, 4, 59}, compiler(Family::gcc, {16, 2, 0}, {2, 36, 0}), Verdict::fits, true, false},
      {{13, 4, 92}, compiler(Family::gcc, {16, 2, 0}, {2, 36, 0}), Verdict::fits, false, false},
      {{13, 4, 59}, compiler(Family::gcc, {15, 3, 0}, {2, 36, 0}), Verdict::fits, false, false},
      {{12, 4, 99}, compiler(Family::gcc, {13, 2, 0}, {2, 35, 0}), Verdict::broken, false, false},
      {{12, 4, 131}, compiler(Family::gcc, {13, 2, 0}, {2, 35, 0}), Verdict::fits, false, false},
      {{12, 4, 131}, compiler(Family::gcc, {13, 3, 0}), Verdict::fits, true, false},
      {{12, 4, 131}, compiler(Family::gcc, {12, 4, 1}), Verdict::fits, true, false},
      {{11, 5, 119}, compiler(Family::gcc, {11, 4, 0}), Verdict::fits, true, true},
      {{11, 4, 152}, compiler(Family::gcc, {11, 2, 0}), Verdict::fits, true, true},
      {{11, 6, 124}, compiler(Family::gcc, {11, 4, 0}), Verdict::fits, false, false},
      {{12, 4, 131}, compiler(Family::gcc, {9, 3, 0}), Verdict::fits, true, false},
  };
  const Table table = shipped_table();
  for (const Row& row : rows) {
    CAPTURE(to_string(row.toolkit));
    CAPTURE(to_string(row.compiler.version));
    const DocumentedRange* const range = table.documented(row.toolkit);
    REQUIRE(range != nullptr);
    const Judgement judgement = judge(row.compiler, toolkit(row.toolkit), {*range, std::nullopt}, table);
    CAPTURE(judgement.reason);
    CHECK(judgement.verdict == row.verdict);
    CHECK((judgement.reason.rfind("within", 0) == 0) == (row.verdict == Verdict::fits && !row.advised));
    CHECK(judgement.wants_another == row.avoided);
  }

  Compiler on_libcxx = clang({16, 0, 6});
  on_libcxx.library.kind = "libc++";
  const Acceptance acceptance{*table.documented({12, 4, 131}), std::nullopt};
  CHECK(judge(on_libcxx, cuda_12_4, acceptance, table).verdict == Verdict::broken);
  on_libcxx.target = "aarch64-linux-gnu";
  CHECK(judge(on_libcxx, cuda_12_4, acceptance, table).verdict == Verdict::fits);
}

TEST_CASE("libc++ is refused on x86, except for 22 and later with CUDA 13.4 and later") {
  const Table table = shipped_table();
  const auto verdict = [&](const Version& release, int libcxx) {
    Compiler on_libcxx = clang({20, 1, 8});
    on_libcxx.library.kind = "libc++";
    on_libcxx.library.version = libcxx;
    return judge(on_libcxx, toolkit(release), {*table.documented(release), std::nullopt}, table).verdict;
  };
  for (const Version& release : {Version{13, 0, 88}, Version{13, 3, 73}})
    for (const int libcxx : {190107, 210108, 220000})
      CHECK(verdict(release, libcxx) == Verdict::broken);
  for (const Version& release : {Version{13, 4, 59}, Version{13, 4, 92}, Version{13, 5, 37}}) {
    CHECK(verdict(release, 210108) == Verdict::broken);
    CHECK(verdict(release, 220000) == Verdict::fits);
    CHECK(verdict(release, 220108) == Verdict::fits);
  }
}

TEST_CASE("every verdict has a word") {
  CHECK(std::string(to_string(Verdict::fits)) == "fits");
  CHECK(std::string(to_string(Verdict::too_new)) == "too-new");
  CHECK(std::string(to_string(Verdict::too_old)) == "too-old");
  CHECK(std::string(to_string(Verdict::broken)) == "broken");
  CHECK(std::string(to_string(Verdict::unknown)) == "unknown");
}

TEST_CASE("a C library that clashes with the toolkit breaks every compiler that uses it, and no other") {
  const Acceptance acceptance{documented(6, 13), gate({std::nullopt, 13}), libcs({12, 4, 131})};
  for (const Family family : {Family::gcc, Family::clang}) {
    const Judgement clashing =
        judge(compiler(family, {13, 1, 0}, {2, 43, 0}), toolkit({12, 4, 131}), acceptance, Table{});
    CHECK(clashing.verdict == Verdict::broken);
    CHECK(clashing.reason ==
          "glibc 2.43 and the toolkit declare cospi and rsqrt with different exception specifications; "
          "they do with every compiler");
    CHECK(clashing.source == "bits/mathcalls.h:79,206; crt/math_functions.h:629,5554");
    const Judgement other = judge(compiler(family, {13, 1, 0}), toolkit({12, 4, 131}), acceptance, Table{});
    CHECK(other.verdict == Verdict::fits);
  }
}

TEST_CASE("a C library that could not be compared does not decide") {
  const Acceptance acceptance{
      documented(6, 13), gate({std::nullopt, 13}), {{"/glibc-2.36", failure("it is cut short")}}};
  CHECK(judge(gcc({13, 1, 0}), toolkit({12, 4, 131}), acceptance, Table{}).verdict == Verdict::fits);
}

TEST_CASE("a clash of types is not called one of exceptions") {
  Clash types{"f", {"/cuda/crt/math_functions.h", 1, true}, {"/usr/include/math.h", 2, true}};
  types.kind = Clash::Kind::types;
  const Acceptance acceptance{
      documented(6, 13), gate({std::nullopt, 13}), {{"/glibc-2.36", std::vector{types}}}};
  CHECK(judge(gcc({13, 1, 0}), toolkit({12, 4, 131}), acceptance, Table{}).reason ==
        "glibc 2.36 and the toolkit declare f differently; they do with every compiler");
}
