// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/metadata/requirement.hpp"
#include "toolchains/base/path_text.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
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

TEST_CASE("which releases versions admit") {
  struct Row {
    const char* text;
    const char* admitted;
    const char* refused;
  };
  for (const Row& row :
       {Row{"p>=3.9", "3.9 3.12.1", "3.8.99 2"}, Row{"p>=3.9.2", "3.9.2 3.10", "3.9 3.9.1"},
        Row{"p<3.13", "3.12.9", "3.13 4"}, Row{"p>=3.8,!=3.9.*,<4", "3.8 3.10", "3.9 3.9.7 4.0"},
        Row{"p~=3.9", "3.9 3.14", "3.8 4.0"}, Row{"p~=3.9.1", "3.9.1 3.9.7", "3.9 3.10"},
        Row{"p==3.12.*", "3.12 3.12.4", "3.11 3.13"}, Row{"p==3.12", "3.12.0", "3.12.1"},
        Row{"p>3.11", "3.11.1 3.12", "3.11 3.10"}, Row{"p<=3.12", "3.12 3.1", "3.12.1"},
        Row{"p>=3.13.0rc1", "3.13", "3.12"}, Row{"p!=3.9", "3.9.1 3.10", "3.9"}, Row{"p", "2 3.12", ""},
        Row{"p>=x", "3.12", ""}}) {
    CAPTURE(row.text);
    const Requirement one = read(row.text);
    for (const std::string& version : filled_parts(row.admitted, " "))
      CHECK_MESSAGE(one.admits(*parse_version(version)), version);
    for (const std::string& version : filled_parts(row.refused, " "))
      CHECK_MESSAGE(!one.admits(*parse_version(version)), version);
  }
}

TEST_CASE("which lowest versions rule out those before a release") {
  const Version release{13, 1, 0};
  for (const char* const text :
       {"a", "a>=13", "a==13.*", "a~=13.0", "a==13.0.2", "a<14", "a!=13.1", "a<=13.1", "a>=x"})
    CHECK_MESSAGE(read(text).admits_before(release), text);
  for (const char* const text : {"a>=13.1", "a>=13,>=13.2,<14", "a~=13.1", "a==13.1.*", "a==13.1.0.3",
                                 "a>13.1", "a @ https://x/a.whl"})
    CHECK_MESSAGE(!read(text).admits_before(release), text);
}

TEST_CASE("which requirements leave no release from one on") {
  const Version release{13, 1, 0};
  for (const char* const text :
       {"a", "a>=13", "a>12", "a==13.*", "a==13.1.*", "a==13.1", "a==13.2.51", "a~=13.0", "a~=13.1.0", "a<14",
        "a<13.1.0.5", "a<=13.1", "a!=13.1", "a==x", "a @ https://x/a.whl"})
    CHECK_MESSAGE(read(text).admits_from(release), text);
  for (const char* const text : {"a==13.0.2", "a===13.0.2", "a==12.*", "a==13.0.*", "a~=13.0.1", "a<13.1",
                                 "a<=13.0", "a>=13,<13.1", "a~=12.8"})
    CHECK_MESSAGE(!read(text).admits_from(release), text);
}

TEST_CASE("one release fits a pin, and a URL") {
  for (const char* const text : {"a==13.0.2", "a===13", "a>=12,==13.0.2", "a @ https://x/a.whl"})
    CHECK_MESSAGE(read(text).is_pinned(), text);
  for (const char* const text : {"a", "a==13.*", "a~=13.0.2", "a<14", "a!=13.0"})
    CHECK_MESSAGE(!read(text).is_pinned(), text);
}

TEST_CASE("there is nothing before the first release") {
  for (const char* const text : {"a", "a<14", "a>=13"})
    CHECK_MESSAGE(!read(text).admits_before(Version()), text);
}

TEST_CASE("other text is no requirement") {
  for (const char* const text : {"", "  ", "[x]", ">=1", "a[b", "a 1.0", "a>="}) {
    CAPTURE(text);
    CHECK_FALSE(read_requirement(text));
  }
}
