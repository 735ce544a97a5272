// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/templates.hpp"

#include <doctest/doctest.h>

using hostpin::expanded;

TEST_CASE("a name in a template is replaced by its value, other text between signs is not") {
  CHECK(expanded("a@B@c\n", {{"B", "x y"}}) == "ax yc\n");
  CHECK(expanded("uses: a@v4 @B@@C@ @D@ @", {{"B", "x"}, {"C", "y"}}) == "uses: a@v4 xy @D@ @");
  CHECK(expanded("a\n\n", {}) == "a\n\n");
  CHECK(expanded("", {{"B", "x"}}).empty());
}

TEST_CASE("nothing is replaced in a value") {
  CHECK(expanded("@A@ @B@\n", {{"A", "@B@"}, {"B", "@A@"}}) == "@B@ @A@\n");
}

TEST_CASE("each line of the value of a name alone in its line is indented as the name is") {
  CHECK(expanded("a:\n  @B@\nc\n", {{"B", "x\n  y"}}) == "a:\n  x\n    y\nc\n");
  CHECK(expanded("\t@B@\n", {{"B", "x\ny\n"}}) == "\tx\n\ty\n");
}

TEST_CASE("the line of a name whose value is empty is removed") {
  CHECK(expanded("a:\n  @B@\nc@B@\n", {{"B", ""}}) == "a:\nc\n");
}

TEST_CASE("lines for a name without a value are left out") {
  const char* const text = "a\n  @IF B@\n  b @B@\n  @IF C@\n  c\n  @END@\n  d\n  @END@\ne\n";
  CHECK(expanded(text, {}) == "a\ne\n");
  CHECK(expanded(text, {{"C", "x"}}) == "a\ne\n");
  CHECK(expanded(text, {{"B", "x"}, {"C", ""}}) == "a\n  b x\n  d\ne\n");
  CHECK(expanded(text, {{"B", "x"}, {"C", "x"}}) == "a\n  b x\n  c\n  d\ne\n");
}
