// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/explain.hpp"
#include "stdlib-probe/why/report.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;

TEST_CASE("a demangled name is shortened to what a user would call it") {
  struct Row {
    const char* demangled;
    const char* name;
  };
  const Row rows[] = {
      {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>::replace(unsigned "
       "long, char)",
       "std::basic_string::replace"},
      {"void std::sort<int*>(int*, int*)", "std::sort"},
      {"std::vformat[abi:cxx11](std::basic_string_view<char>)", "std::vformat"},
      {"std::ostream& std::operator<<<char>(std::ostream&, char)", "std::operator<<"},
      {"bool std::operator==(int, int)", "std::operator=="},
      {"std::function<int ()>::operator()() const", "std::function::operator()"},
      {"(anonymous namespace)::twice(int)", "(anonymous namespace)::twice"},
      {"operator new(unsigned long)", "operator new"},
      {"__cxa_throw", "__cxa_throw"},
      {"", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.demangled);
    CHECK(short_name(row.demangled) == row.name);
  }
}

TEST_CASE("an answer is written for programs and for people") {
  SourceAnswer answer;
  answer.source = "/src/a.cpp";
  answer.compiler = "g++";
  Need need{"_Zx", "x()", "GLIBCXX_3.4.32", "13.2", {}};
  need.uses.push_back({{"/src/a.cpp", 3, 0, "std::x"}, Evidence::include, {"/usr/x"}});
  answer.needs = {need, {"_Zy", "y()", "GLIBCXX_3.4.31", std::nullopt, {}}};
  const WhyQuestion question{"GLIBCXX_3.4.30", true, "/src"};
  const std::string text = why_text(question, {&answer, 1});
  CHECK(text == "a.cpp needs 2 symbols above GLIBCXX_3.4.30, because of 1 line\n\n"
                "GLIBCXX_3.4.32 (GCC 13.2)\n  x()\n    a.cpp:3: std::x\n      through /usr/x\n\n"
                "GLIBCXX_3.4.31\n  y()\n    the object needs it, but no line was found that leads to it\n");
  const std::string json = why_json(question, {&answer, 1});
  for (const char* const part : {R"("column": null)", R"("evidence": "include")", R"("gcc": "13.2")",
                                 R"("library": null)", R"("uses": [])"}) {
    CAPTURE(part);
    CHECK(json.find(part) != std::string::npos);
  }
}
