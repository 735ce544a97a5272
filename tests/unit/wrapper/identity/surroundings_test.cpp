// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/identity/surroundings.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

Identity gcc() {
  Identity identity;
  identity.translated = true;
  identity.specs = {"x/13/specs", "specs"};
  return identity;
}

Identity clang() {
  Identity identity;
  identity.shared = true;
  return identity;
}

} // namespace

TEST_CASE("variables that speak to compilers are told from those that do not") {
  struct Row {
    const char* name;
    const char* value;
    bool gcc, clang;
  };
  constexpr Row rows[] = {
      {"CPATH", "", true, true},
      {"CPATHS", "/x", false, false},
      {"C_INCLUDE_PATH", "/x", true, true},
      {"GCC_EXEC_PREFIX", "/x", true, true},
      {"GCC_COLORS", "error=31", false, false},
      {"GCC", "g++", false, false},
      {"CCC_OVERRIDE_OPTIONS", "+-g", true, true},
      {"CC", "gcc", false, false},
      {"CC_PRINT_OPTIONS", "1", true, true},
      {"LD_PRELOAD", "x.so", true, true},
      {"LD_LIBRARY_PATH", "/x", false, true},
      {"LD_LIBRARY_PATH", "", false, false},
      {"LD_RUN_PATH", "/x", false, false},
      {"LANG", "de_DE.UTF-8", true, false},
      {"LANG", "en_US.UTF-8", false, false},
      {"LANG", "en_GB", true, false},
      {"LC_ALL", "C.UTF-8", false, false},
      {"LC_ALL", "", false, false},
      {"LC_MESSAGES", "POSIX", false, false},
      {"LC_TIME", "de_DE", false, false},
      {"LANGUAGE", "en_US:en", false, false},
      {"LANGUAGE", "en:de", true, false},
      {"LOCPATH", "/x", true, true},
      {"SOURCE_DATE_EPOCH", "1700000000", false, false},
      {"SOURCE_DATE_EPOCH", "", true, true},
      {"SOURCE_DATE_EPOCH", "-1", true, true},
      {"SOURCE_DATE_EPOCH", "999999999999", true, true},
      {"LIBRARY_PATH", "/x", false, false},
      {"PATH", "/x", false, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.value);
    CHECK(disturbs(gcc(), row.name, row.value) == row.gcc);
    CHECK(disturbs(clang(), row.name, row.value) == row.clang);
  }
}

TEST_CASE("the first variable that disturbs is named") {
  const char* const quiet[] = {"PATH=/bin", "NOTHING", "=C:=x", nullptr};
  const char* const loud[] = {"PATH=/bin", "CPATH=", "LD_PRELOAD=x", nullptr};
  CHECK(disturbing_variable(gcc(), quiet).empty());
  CHECK(disturbing_variable(gcc(), loud) == "CPATH");
}

TEST_CASE("specs are looked for in every directory of LIBRARY_PATH, unless one is relative") {
  using Paths = std::vector<std::string>;
  CHECK(specs_files(gcc(), "") == Paths{});
  CHECK(specs_files(gcc(), "/a:/b") == Paths{"/a/x/13/specs", "/a/specs", "/b/x/13/specs", "/b/specs"});
  for (const char* const relative : {".", "a", "/a:", ":/a", "/a::/b", ":"})
    CHECK_FALSE(specs_files(gcc(), relative));
  CHECK(specs_files(clang(), ".") == Paths{});
}
