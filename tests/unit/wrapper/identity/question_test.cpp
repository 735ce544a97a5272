// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/identity/question.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::string_view asked(const std::vector<const char*>& arguments) {
  return asked_file(arguments);
}

} // namespace

TEST_CASE("nvcc's call is recognised by its two words") {
  CHECK(asked({"-E", "/tmp/tmpxft_00007ca3_00000000-2.cpp"}) == "/tmp/tmpxft_00007ca3_00000000-2.cpp");
  CHECK(asked({"-E", "/with space/.x.cpp"}) == "/with space/.x.cpp");
}

TEST_CASE("a call that differs in any word is not") {
  CHECK(asked({}).empty());
  CHECK(asked({"-E"}).empty());
  CHECK(asked({"/tmp/a.cpp", "-E"}).empty());
  CHECK(asked({"-E", "/tmp/a.cpp", "-P"}).empty());
  CHECK(asked({"-P", "-E", "/tmp/a.cpp"}).empty());
  CHECK(asked({"-S", "/tmp/a.cpp"}).empty());
  CHECK(asked({"-EE", "/tmp/a.cpp"}).empty());
}

TEST_CASE("a file that compilers would take for another language, or name otherwise, is not") {
  for (const char* const name : {"", "a.cpp", "./a.cpp", "@/tmp/a.cpp", "/tmp/a.c", "/tmp/a.cpp.i",
                                 "/tmp/.cpp", "/.cpp", "/tmp//a.cpp", "/tmp/a\".cpp", "/tmp/a\\.cpp",
                                 "/tmp/a\n.cpp", "/tmp/\xC3\xA4.cpp", "/tmp/a\x7F.cpp", "/tmp/a.CPP"})
    CHECK(asked({"-E", name}).empty());
}
