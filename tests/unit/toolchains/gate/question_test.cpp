// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/question.hpp"

#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

} // namespace

TEST_CASE("every major is asked about once, between sentinels that come twice") {
  const std::vector<Hypothesis> cases = hypotheses();
  REQUIRE(cases.size() > 2 * sentinels);
  for (std::size_t i = 0; i < sentinels; ++i)
    CHECK(cases[i] == cases[cases.size() - sentinels + i]);
  for (int major = 3; major <= 40; ++major)
    CHECK(std::count(cases.begin(), cases.end(), Hypothesis{Family::gcc, major}) == 1);
  for (int major = 3; major <= 50; ++major)
    CHECK(std::count(cases.begin(), cases.end(), Hypothesis{Family::clang, major}) == 1);
}

TEST_CASE("the lines of the includes are told") {
  const auto question = ask("/c/h.h", {12, 4, 131}, {{Family::gcc, 12}, {Family::clang, 17}}, {"GUARD"});
  REQUIRE(question.has_value());
  const auto lines = lines_of(question->text);
  REQUIRE(question->include_lines.size() == 2);
  for (const unsigned line : question->include_lines)
    CHECK(lines.at(line - 1) == "#include \"/c/h.h\"");
  CHECK(std::count(lines.begin(), lines.end(), "#undef GUARD") == 2);
  CHECK(std::count(lines.begin(), lines.end(), "#define __clang_major__ 17") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "#define __CUDACC_VER_BUILD__ 131") == 1);
}

TEST_CASE("a path that an #include cannot hold is an error") {
  for (const char* path : {"/a\"b/h.h", "/a\nb/h.h", "/a\\b/h.h"})
    CHECK_FALSE(ask(path, {}, {}, {}).has_value());
  CHECK(ask("/a b/\xc3\xa9'#/h.h", {}, {}, {}).has_value());
}

TEST_CASE("a trace holds what the header's own directory defines, case by case") {
  const std::string text = "# 1 \"<stdin>\"\n"
                           "#define __GNUC__ 12\n"
                           "hostpin_case_0\n"
                           "#define __GNUC__ 99\n"
                           "# 1 \"/c/crt/h.h\" 1\n"
                           "#define GUARD\n"
                           "# 1 \"/usr/include/features.h\" 1 3 4\n"
                           "#define FEATURES 1\n"
                           "# 9 \"/c/crt/h.h\" 2\n"
                           "#define FUNCTION(x) x\n"
                           "# 14 \"<stdin>\" 2\n"
                           "hostpin_case_1\n"
                           "#define __GNUC__ 99\n"
                           "hostpin_end\n";
  const auto found = traces(text, "/c/crt/h.h", 2);
  REQUIRE(found.has_value());
  CHECK((*found)[0].entered);
  CHECK((*found)[0].defined == std::vector<std::string>{"GUARD", "FUNCTION"});
  CHECK_FALSE((*found)[1].entered);
  CHECK((*found)[1].defined.empty());
}

TEST_CASE("text without all marks in order is an error") {
  for (const char* text : {"", "hostpin_case_0\n", "hostpin_case_1\nhostpin_case_0\nhostpin_end\n",
                           "hostpin_case_0\nhostpin_case_0\nhostpin_end\n", "hostpin_end\nhostpin_case_0\n",
                           "hostpin_case_0\nhostpin_case_1\nhostpin_en"}) {
    CAPTURE(text);
    CHECK_FALSE(traces(text, "/c/crt/h.h", 2).has_value());
  }
}
