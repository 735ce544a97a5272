// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/junit.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;

namespace {

std::string failed_cases(const std::string& xml) {
  TestCases cases = read_junit(xml, "t.xml").value();
  return cases.failed.empty() ? std::to_string(cases.count) + " passed" : failed_text(cases.failed);
}

} // namespace

TEST_CASE("failed test cases are read from the dialects of CTest, GoogleTest and pytest") {
  CHECK(
      failed_cases("<testsuite tests=\"2\"><testcase name=\"add\" classname=\"add\" status=\"fail\"><failure "
                   "message=\"\"/><system-out>x</system-out></testcase><testcase name=\"b\" classname=\"b\" "
                   "status=\"run\"/></testsuite>") == "add failed");
  CHECK(failed_cases("<testsuites><testsuite name=\"Sum\"><testcase name=\"Add\" classname=\"Sum\"><failure "
                     "message=\"a.cpp:3&#x0A;Expected: 1\" type=\"\"><![CDATA[a.cpp:3]]></failure></testcase>"
                     "</testsuite></testsuites>") == "Sum.Add: a.cpp:3");
  CHECK(failed_cases(
            "<testsuites><testsuite><testcase classname=\"t.T\" name=\"one\"><error>\n  KeyError: 3\n  at "
            "x</error></testcase><testcase classname=\"t.T\" name=\"two\"><skipped/></testcase>"
            "</testsuite></testsuites>") == "t.T.one: KeyError: 3");
  CHECK(failed_cases("<testsuite><testcase name=\"a\"/><testcase name=\"b\"/></testsuite>") == "2 passed");
  CHECK(failed_cases("<testsuite><testcase><failure/><failure message=\"x\"/></testcase></testsuite>") ==
        "a test without a name failed");
}

TEST_CASE("several failed test cases are named in one line, in one order") {
  std::vector<FailedCase> cases{{"c", ""}, {"a", "m"}, {"b", ""}, {"a", "n"}};
  CHECK(failed_text(cases) == "3 tests failed: a, b, c");
  for (const char* const name : {"d", "e", "f"})
    cases.push_back({name, ""});
  CHECK(failed_text(cases) == "6 tests failed: a, b, c, d, e, ...");
}

TEST_CASE("what is not JUnit's XML is refused with its line") {
  CHECK(read_junit("<testsuite>\n<testcase", "t.xml").error().message.starts_with("t.xml:2: "));
  CHECK_FALSE(read_junit("", "t.xml"));
  CHECK_FALSE(read_junit("<!DOCTYPE a [<!ENTITY b \"c\">]><testsuite/>", "t.xml"));
}
