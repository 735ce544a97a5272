// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/exceptions.hpp"
#include "tests/tree.hpp"

#include <array>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

Result<std::vector<Exception>> read(const std::string& text) {
  const test::Tree tree;
  return read_exceptions(DiskFiles(), tree.write("exceptions.toml", text));
}

Finding finding(Rule rule, const std::string& path, const std::string& reference) {
  return {rule, Severity::error, {path, {}, {}, std::nullopt}, reference, {}, {}, {}};
}

} // namespace

TEST_CASE("a single star of a glob matches within a component, two match across") {
  struct Row {
    std::string_view glob, text;
    bool fits;
  };
  constexpr std::array rows = {
      Row{"lib/*.so", "lib/a.so", true},
      Row{"lib/*.so", "lib/sub/a.so", false},
      Row{"lib/**.so", "lib/sub/a.so", true},
      Row{"**/a.so", "x/y/a.so", true},
      Row{"**/a.so", "a.so", false},
      Row{"**", "", true},
      Row{"*", "", true},
      Row{"*", "a/b", false},
      Row{"a?c", "abc", true},
      Row{"a?c", "a/c", false},
      Row{"a?c", "ac", false},
      Row{"", "", true},
      Row{"", "a", false},
      Row{"a", "", false},
      Row{"a*", "a", true},
      Row{"*a*b*", "xxaxxbxx", true},
      Row{"*a*b*", "xxbxxaxx", false},
      Row{"**/b*/c", "a/bb/x/b1/c", true},
      Row{"a[b]", "a[b]", true},
      Row{"a.c", "abc", false},
      Row{"**/*.so", "x/y.d/z.so", true},
      Row{"*/**/z", "x/y/z", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.glob);
    CAPTURE(row.text);
    CHECK(fits(row.glob, row.text) == row.fits);
  }
}

TEST_CASE("a glob of many stars does not take long to fail") {
  std::string glob, text(2000, 'a');
  for (int i = 0; i < 50; ++i)
    glob += "a*";
  CHECK_FALSE(fits(glob + "b", text));
}

TEST_CASE("exceptions remove the findings they match, and count them") {
  auto exceptions =
      read("[[exception]]\nrule = \"missing-library\"\npath = \"bin/*\"\nreason = \"a plugin\"\n"
           "[[exception]]\nreference = \"/opt/**\"\nreason = \"of old\"\n");
  REQUIRE(exceptions);
  CHECK(accept(*exceptions, finding(Rule::missing_library, "bin/a", "libx.so")));
  CHECK_FALSE(accept(*exceptions, finding(Rule::missing_library, "lib/a", "libx.so")));
  CHECK_FALSE(accept(*exceptions, finding(Rule::forbidden_runpath, "bin/a", "/usr/lib")));
  CHECK((*exceptions)[0].used == 1);
  CHECK((*exceptions)[1].used == 0);
  CHECK((*exceptions)[1].line == 5);
}

TEST_CASE(
    "an exception without a reason, one that matches everything, and an unknown rule or key are errors") {
  CHECK_FALSE(read("[[exception]]\nrule = \"missing-library\"\n"));
  CHECK_FALSE(read("[[exception]]\nreason = \"all\"\n"));
  CHECK_FALSE(read("[[exception]]\nrule = \"missing\"\nreason = \"x\"\n"));
  CHECK_FALSE(read("[[exception]]\nrule = \"missing-library\"\nreason = \"x\"\nfile = \"y\"\n"));
  CHECK_FALSE(read("exception = 1\n"));
  CHECK_FALSE(read("[exeption]\n"));
}

TEST_CASE("a file without exceptions is valid") {
  REQUIRE(read(""));
  CHECK(read("")->empty());
}
