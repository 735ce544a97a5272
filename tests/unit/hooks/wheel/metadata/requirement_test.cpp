// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/metadata/requirement.hpp"

#include <doctest/doctest.h>

using namespace hostpin::wheel;

namespace {

Requirement read(const char* text) {
  auto one = read_requirement(text);
  if (!one)
    FAIL(text);
  return one.value_or(Requirement{});
}

} // namespace

TEST_CASE("a requirement has a name, extras, versions and a marker") {
  const Requirement one = read("CUDA_Toolkit [cublas, cuDart] (>=13.0.2,<14) ; platform_system == \"Linux\"");
  CHECK(one.name == "cuda-toolkit");
  CHECK(one.extras == std::vector<std::string>{"cublas", "cudart"});
  REQUIRE(one.specifiers.size() == 2);
  CHECK(one.specifiers[0].comparison == ">=");
  CHECK(one.specifiers[1].version == "14");
  CHECK(one.is_for_linux());
  CHECK(one.extra().empty());
}

TEST_CASE("a marker names an extra or another system") {
  CHECK(read("a; extra == 'ctk'").extra() == "ctk");
  CHECK(read("a; python_version > '3' and extra==\"Dev_x\"").extra() == "dev-x");
  CHECK_FALSE(read("a; sys_platform == 'win32'").is_for_linux());
  CHECK(read("a; sys_platform != 'win32'").is_for_linux());
}

TEST_CASE("which majors versions admit") {
  struct Row {
    const char* text;
    bool twelve, thirteen, fourteen, ceiling;
  };
  for (const Row& row : {Row{"a", true, true, true, false}, Row{"a>=13.0.0.19", false, true, true, false},
                         Row{"a==13.*", false, true, false, true}, Row{"a~=13.0", false, true, false, true},
                         Row{"a>=12,<14", true, true, false, true}, Row{"a<13.1", true, true, false, true},
                         Row{"a<13", true, false, false, true}, Row{"a<=13", true, true, false, true},
                         Row{"a!=13.0", true, true, true, false}, Row{"a===13.0", false, true, false, true},
                         Row{"a @ https://x/a.whl", true, true, true, true}}) {
    CAPTURE(row.text);
    const Requirement one = read(row.text);
    CHECK(one.admits_major(12) == row.twelve);
    CHECK(one.admits_major(13) == row.thirteen);
    CHECK(one.admits_major(14) == row.fourteen);
    CHECK(one.has_ceiling() == row.ceiling);
  }
}

TEST_CASE("other text is no requirement") {
  for (const char* const text : {"", "  ", "[x]", ">=1", "a[b", "a 1.0", "a>="}) {
    CAPTURE(text);
    CHECK_FALSE(read_requirement(text));
  }
}
