// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/placed.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;

namespace {

LtoInput input(Strings member, std::uint32_t major) {
  return {"lib.a", std::move(member), {{LtoFormat::gcc_lto, major, 0, "GCC", true, 0}}, std::nullopt};
}

LtoInput unread(const std::string& path) {
  return {path, {}, {}, Error{"torn", "build it again"}};
}

} // namespace

TEST_CASE("a list gives back what was put in, whatever has which content in common") {
  Placed<LtoInput> list;
  for (std::uint32_t i = 0; i < 50000; ++i)
    list.push_back(input({std::to_string(i) + ".o", std::string(i % 300, 'x')}, i % 7));
  list.push_back(unread("a.o"));
  list.push_back(unread("b.o"));
  REQUIRE(list.size() == 50002);
  CHECK(list.contents() == 9);
  bool same = true;
  for (std::uint32_t i = 0; i < 50000; ++i) {
    const LtoInput one = list.at(i);
    same = same && one.path == "lib.a" && list.is_member(i) && one.streams.front().major == i % 7 &&
           one.member == Strings{std::to_string(i) + ".o", std::string(i % 300, 'x')};
  }
  CHECK(same);
  CHECK(list.at(50001).path == "b.o");
  CHECK(list.at(50001).member.empty());
  REQUIRE(list.at(50001).unreadable);
  CHECK(list.at(50001).unreadable->message == "torn");
}

TEST_CASE("names of any bytes and length, and none, stay what they are") {
  const std::string zero("a\0b", 3);
  Placed<LtoInput> list;
  const std::vector<Strings> names{{}, {""}, {zero}, {std::string(200000, 'n'), "", "c"}, {"d"}};
  for (const Strings& name : names)
    list.push_back(input(name, 1));
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(list.member(i) == names[i]);
    CHECK(list.is_member(i) == !names[i].empty());
  }
}

TEST_CASE("what is taken out or replaced leaves the others as they are") {
  Placed<LtoInput> list;
  for (std::uint32_t i = 0; i < 6; ++i)
    list.push_back(input({std::to_string(i)}, i));
  list.replace(1, unread("x.o"));
  list.erase_if([](std::size_t i) { return i % 2 == 0; });
  REQUIRE(list.size() == 3);
  CHECK(list.at(0).path == "x.o");
  CHECK(list.at(1).member == Strings{"3"});
  CHECK(list.at(2).streams.front().major == 5);
}
