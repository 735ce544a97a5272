// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/judge/samples.hpp"
#include "toolchains/judge/judge.hpp"

#include <algorithm>
#include <random>

using namespace hostpin;

namespace {

const Toolkit cuda_12_4 = toolkit({12, 4, 131});
const Acceptance up_to_13{documented(6, 13, 7, 17), gate({std::nullopt, 13}, {4, 17}), libcs({12, 4, 131})};

std::vector<Judgement> judged(const std::vector<Compiler>& compilers, const Table& table = {}) {
  std::vector<Judgement> result;
  for (const Compiler& compiler : compilers)
    result.push_back(judge(compiler, cuda_12_4, up_to_13, table));
  return result;
}

Result<Selection> selected(const Compiler& stdenv, const std::vector<Compiler>& others,
                           const SelectionRules& rules = {}, const Table& table = {}) {
  std::vector<Compiler> all = {stdenv};
  all.insert(all.end(), others.begin(), others.end());
  return select(stdenv, judged(all, table), cuda_12_4, up_to_13, rules);
}

int major_of(const Result<Selection>& selection) {
  return selection ? selection->chosen.compiler.version.major : 0;
}

} // namespace

TEST_CASE("the stdenv itself is chosen if it fits, even if a newer one fits too") {
  const auto selection = selected(gcc({12, 2, 0}), {gcc({13, 3, 0}), gcc({11, 3, 0}), clang({17, 0, 6})});
  REQUIRE(selection.has_value());
  CHECK(selection->chosen.compiler.version == Version{12, 2, 0});
  CHECK(selection->origin == "the stdenv itself fits");
}

TEST_CASE("else the newest fitting compiler of its family is chosen") {
  const auto selection =
      selected(gcc({14, 2, 0}), {gcc({11, 3, 0}), gcc({13, 3, 0}), gcc({12, 2, 0}), clang({17, 0, 6})});
  CHECK(major_of(selection) == 13);
  CHECK(selection->origin == "newest fitting GCC");
  CHECK(major_of(selected(clang({19, 1, 7}), {gcc({13, 3, 0}), clang({15, 0, 6}), clang({16, 0, 6})})) == 16);
}

TEST_CASE("another family is chosen only if asked for") {
  const std::vector<Compiler> others = {clang({17, 0, 6}), clang({16, 0, 6})};
  CHECK_FALSE(selected(gcc({14, 2, 0}), others).has_value());
  const auto asked = selected(gcc({14, 2, 0}), others, {Family::clang, ""});
  REQUIRE(asked.has_value());
  CHECK(asked->chosen.compiler.version.major == 17);
  CHECK(asked->origin == "newest fitting Clang");
  // If asked for, it is searched even if the stdenv fits.
  CHECK(selected(gcc({12, 2, 0}), others, {Family::clang, ""})->chosen.compiler.family == Family::clang);
}

TEST_CASE("what cannot be pinned to the stdenv is never chosen") {
  const Compiler stdenv = gcc({14, 2, 0});
  struct Row {
    const char* what;
    void (*change)(Compiler&);
    const char* says;
  };
  const Row rows[] = {
      {"another target", [](Compiler& c) { c.target = "aarch64-linux-gnu"; }, "is for aarch64-linux-gnu"},
      {"another C library", [](Compiler& c) { c.glibc.reset(); }, "another C library than glibc"},
      {"a newer glibc",
       [](Compiler& c) {
         c.glibc = Version{2, 40, 0};
       },
       "uses headers of glibc 2.40"},
      {"a newer libstdc++", [](Compiler& c) { c.library.release = 15; }, "uses headers of libstdc++ 15"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Compiler other = gcc({13, 3, 0});
    REQUIRE_FALSE(obstacle(other, stdenv).has_value());
    row.change(other);
    CHECK(obstacle(other, stdenv).value_or("").find(row.says) != std::string::npos);
    const auto selection = selected(stdenv, {other});
    REQUIRE_FALSE(selection.has_value());
    CHECK(selection.error().message.find(row.says) != std::string::npos);
  }
}

TEST_CASE("one that is newer than the stdenv is not chosen though it fits, and the reason is reported") {
  // The stdenv is too old for the toolkit, so nothing of its family can be right.
  const auto selection = selected(gcc({5, 5, 0}), {gcc({12, 2, 0})});
  REQUIRE_FALSE(selection.has_value());
  CHECK(selection.error().message.find("is newer than the stdenv (5.5.0)") != std::string::npos);
  CHECK(obstacle(gcc({13, 3, 0}), gcc({13, 2, 0})).has_value());
  CHECK_FALSE(obstacle(gcc({13, 2, 0}), gcc({13, 2, 0})).has_value());
  // Clang's own version says nothing about GCC's, but the headers it uses do.
  CHECK_FALSE(obstacle(clang({17, 0, 6}), gcc({14, 2, 0})).has_value());
  CHECK(obstacle(clang({17, 0, 6}), gcc({11, 3, 0})).has_value());
}

TEST_CASE("a compiler that a row advises against yields to one without, and so does the stdenv") {
  Exception avoid;
  avoid.wants_warning_only = true, avoid.wants_another = true;
  avoid.family = Family::gcc;
  avoid.compiler_min = Version{13, 0, 0}, avoid.compiler_max = Version{13, 999999, 999999};
  avoid.reason = "better not";
  Table table;
  table.exceptions = {avoid};
  const auto around =
      selected(gcc({14, 2, 0}), {gcc({11, 3, 0}), gcc({12, 2, 0}), gcc({13, 3, 0})}, {}, table);
  CHECK(major_of(around) == 12);
  CHECK(major_of(selected(gcc({14, 2, 0}), {gcc({13, 3, 0})}, {}, table)) == 13);

  const auto instead = selected(gcc({13, 3, 0}), {gcc({11, 3, 0}), gcc({12, 2, 0})}, {}, table);
  CHECK(major_of(instead) == 12);
  CHECK(instead->origin == "newest fitting GCC; the stdenv fits, but: better not");
  CHECK(selected(gcc({13, 3, 0}), {}, {}, table)->origin == "the stdenv itself fits");

  table.exceptions[0].wants_another = false;
  CHECK(major_of(selected(gcc({14, 2, 0}), {gcc({12, 2, 0}), gcc({13, 3, 0})}, {}, table)) == 13);
}

TEST_CASE("the error is the table of all rejected compilers, and names what to install") {
  std::vector<Compiler> all = {gcc({16, 1, 0}), clang({22, 1, 8}), gcc({5, 5, 0}),
                               compiler(Family::other, {1, 0, 0})};
  all[3].command = {"/opt/intel/icpx"};
  all[3].product = "icx";
  const auto selection =
      select(all[0], judged(all), cuda_12_4, up_to_13, {std::nullopt, "install g++-13 (how)"});
  REQUIRE_FALSE(selection.has_value());
  CHECK(selection.error().message ==
        "no host compiler fits CUDA 12.4 (wants GCC 6-13 or Clang 7-17)\n"
        "  g++-16      16.1.0  newer than 13                 crt/host_config.h:143\n"
        "  clang++-22  22.1.8  newer than 17                 crt/host_config.h:157\n"
        "  g++-5       5.5.0   older than 6 (documented)     the documents\n"
        "  icpx        1.0.0   icx is neither GCC nor Clang  measured");
  CHECK(selection.error().hint == "install g++-13 (how), or name one with -ccbin");
  const auto with_setup = select(all[0], judged(all), cuda_12_4, up_to_13,
                                 {std::nullopt, "install g++-13 (how)", "fetch one: hostpin setup DIR"});
  CHECK(with_setup.error().hint ==
        "install g++-13 (how), or fetch one: hostpin setup DIR, or name one with -ccbin");
}

TEST_CASE("drivers with one base name are listed with their paths") {
  std::vector<Compiler> all = {gcc({16, 1, 0}), gcc({16, 2, 0})};
  all[1].command = {"/opt/gcc/bin/g++-16"};
  const auto selection = select(all[0], judged(all), cuda_12_4, up_to_13, {});
  REQUIRE_FALSE(selection.has_value());
  CHECK(selection.error().message.find("\n  /usr/bin/g++-16      16.1.0") != std::string::npos);
  CHECK(selection.error().message.find("\n  /opt/gcc/bin/g++-16  16.2.0") != std::string::npos);
  CHECK(selection.error().hint == "name one with -ccbin");
}

TEST_CASE("one that fits but is of another family is named so that it can be pasted") {
  std::vector<Compiler> all = {gcc({16, 1, 0}), clang({16, 0, 6}), clang({17, 0, 6})};
  all[2].command = {"/opt/my clang/clang++"};
  SelectionRules rules;
  rules.name_option = "--host";
  const auto selection = select(all[0], judged(all), cuda_12_4, up_to_13, rules);
  REQUIRE_FALSE(selection.has_value());
  CHECK(selection.error().hint == "use one that fits but is not a GCC: --host '/opt/my clang/clang++'");
}

TEST_CASE("if no major would fit, the hint refers to the reasons") {
  const Compiler stdenv = compiler(Family::gcc, {12, 2, 0}, {2, 41, 0});
  const auto selection = selected(stdenv, {});
  REQUIRE_FALSE(selection.has_value());
  CHECK(selection.error().message.find("they do with every compiler") != std::string::npos);
  CHECK(selection.error().hint == "see the reasons above, or name one with -ccbin");
}

TEST_CASE("with no compiler at all the error says so") {
  const auto selection = select(gcc({16, 1, 0}), {}, cuda_12_4, {}, {});
  REQUIRE_FALSE(selection.has_value());
  CHECK(selection.error().message == "no host compiler fits CUDA 12.4: no compiler was found");
}

TEST_CASE("the order of discovery does not change the choice") {
  std::mt19937 random(7);
  std::vector<Compiler> others;
  for (int major = 5; major <= 16; ++major)
    others.push_back(gcc({major, 2, 0}));
  for (int major = 5; major <= 16; ++major) {
    for (int round = 0; round < 5; ++round) {
      std::shuffle(others.begin(), others.end(), random);
      CAPTURE(major);
      const int wanted_major = major < 6 ? 0 : std::min(major, 13);
      CHECK(major_of(selected(gcc({major, 2, 0}), others)) == wanted_major);
    }
  }
}

TEST_CASE("majors that would fit with the stdenv are suggested newest first") {
  const Table table = shipped_table();
  const auto majors = [&](Family family, const Compiler& stdenv, const Version& version) {
    const DocumentedRange* const range = table.documented(version);
    REQUIRE(range != nullptr);
    return fitting_majors(family, stdenv, toolkit(version), {*range, std::nullopt, libcs(version)}, table);
  };
  using Majors = std::vector<int>;
  CHECK(majors(Family::gcc, gcc({14, 2, 0}), {12, 4, 131}) == Majors{13, 12, 11, 10, 9, 8, 7, 6});
  CHECK(majors(Family::gcc, gcc({9, 3, 0}), {12, 4, 131}) == Majors{9, 8, 7, 6});
  CHECK(majors(Family::clang, gcc({14, 2, 0}), {10, 0, 130}) == Majors{6});
  // The row against GCC 11 puts it last.
  CHECK(majors(Family::gcc, gcc({12, 2, 0}), {11, 5, 119}) == Majors{10, 9, 8, 7, 6, 11});
  CHECK(majors(Family::gcc, gcc({17, 1, 0}), {13, 4, 92}).front() == 16);
  // No compiler changes what the C library declares.
  CHECK(majors(Family::gcc, compiler(Family::gcc, {14, 2, 0}, {2, 41, 0}), {12, 4, 131}).empty());
  CHECK(fitting_majors(Family::gcc, gcc({14, 2, 0}), cuda_12_4, {}, table).empty());

  using Drivers = std::vector<std::string>;
  CHECK(suggested_drivers(Family::gcc, {13, 12}) == Drivers{"g++-13", "g++-12"});
  CHECK(suggested_drivers(Family::clang, {17}) == Drivers{"clang++-17"});
  CHECK(suggested_drivers(Family::other, {17}).empty());
}
