// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/select.hpp"
#include "tests/tree.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::wheel;

namespace {

Machine machine(int python = 12, int glibc = 36) {
  return {python, "x86_64", glibc, {}, {}};
}

std::size_t at(const std::vector<std::string>& tags, const char* tag) {
  const auto found = std::find(tags.begin(), tags.end(), tag);
  REQUIRE(found != tags.end());
  return static_cast<std::size_t>(found - tags.begin());
}

} // namespace

TEST_CASE("tags are those of the interpreter and the C library, the most special first") {
  const auto tags = accepted_tags(machine());
  CHECK(tags.front() == "cp312-cp312-manylinux_2_36_x86_64");
  CHECK(tags.back() == "py30-none-any");
  const char* const order[] = {"cp312-cp312-manylinux_2_17_x86_64",
                               "cp312-cp312-manylinux2014_x86_64",
                               "cp312-cp312-linux_x86_64",
                               "cp312-abi3-manylinux_2_36_x86_64",
                               "cp32-abi3-manylinux1_x86_64",
                               "py312-none-manylinux_2_36_x86_64",
                               "py3-none-manylinux_2_28_x86_64",
                               "cp312-none-any",
                               "py3-none-any"};
  for (std::size_t i = 1; i < std::size(order); ++i)
    CHECK(at(tags, order[i - 1]) < at(tags, order[i]));
  for (const char* const other : {"cp312-cp312-manylinux_2_37_x86_64", "cp311-cp311-manylinux_2_17_x86_64",
                                  "cp313-abi3-manylinux_2_17_x86_64", "cp312-cp312-musllinux_1_2_x86_64"})
    CHECK(std::find(tags.begin(), tags.end(), other) == tags.end());
}

TEST_CASE("without variants the best tag is taken, and of one tag the newest build") {
  const test::Tree tree;
  for (const char* const name :
       {"a-1-py3-none-any.whl", "a-1-1-cp312-cp312-manylinux_2_17_x86_64.whl",
        "a-1-2-cp312-cp312-manylinux_2_17_x86_64.whl", "a-1-cp311-cp311-linux_x86_64.whl", "odd.whl"})
    tree.write(name, "");
  const auto selection = select({tree.root(), {}, {}}, machine(), {});
  REQUIRE(selection);
  CHECK(selection->chosen == "a-1-2-cp312-cp312-manylinux_2_17_x86_64.whl");
  CHECK(selection->label.empty());
  CHECK(selection->rejected.size() == 4);
  CHECK(select({tree.root(), {}, {}}, machine(7), {})->chosen == "a-1-py3-none-any.whl");
}

TEST_CASE("variants without the file that describes them are not compatible") {
  const test::Tree tree;
  tree.write("a-1-py3-none-any.whl", "");
  tree.write("a-1-py3-none-any-null.whl", "");
  const auto selection = select({tree.root(), {}, {}}, machine(), {});
  CHECK(selection->chosen == "a-1-py3-none-any.whl");
  CHECK(selection->rejected.front().reason.find("a-1-variants.json cannot be read") == 0);
  tree.write("a-1-variants.json", variants_text({{}, {}, {}, {{"null", {}}}}));
  CHECK(select({tree.root(), {}, {}}, machine(), {})->chosen == "a-1-py3-none-any-null.whl");
  tree.write("a-1-variants.json", variants_text({{}, {}, {}, {{"other", {}}}}));
  CHECK(select({tree.root(), {}, {}}, machine(), {})->chosen == "a-1-py3-none-any.whl");
}

TEST_CASE("one distribution and version is chosen from, and it has to be clear which") {
  const test::Tree tree;
  const auto error = [&](const char* name = "", const char* version = "") {
    const auto selection = select({tree.root(), name, version}, machine(), {});
    return selection ? "selected " + selection->chosen : selection.error().message;
  };
  CHECK(error().find("has no wheel") != std::string::npos);
  tree.write("a-1-py3-none-any.whl", "");
  tree.write("a-2-py3-none-any.whl", "");
  tree.write("B_c-1-py3-none-any.whl", "");
  CHECK(error().find("several distributions: a, b-c") != std::string::npos);
  CHECK(error("a").find("several versions: 1, 2") != std::string::npos);
  CHECK(error("a", "2") == "selected a-2-py3-none-any.whl");
  CHECK(error("b.c") == "selected B_c-1-py3-none-any.whl");
  CHECK(select({tree.path("none"), {}, {}}, machine(), {}).error().message.find("cannot be read") !=
        std::string::npos);
}
