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
  CHECK(list.contents() == 8);
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

TEST_CASE("what cannot be read is kept once for each thing that is wrong, with places of their own") {
  Placed<LtoInput> list;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    LtoInput one = unread("lib.a");
    one.member = {std::to_string(i)};
    one.offset = i % 5 == 0 ? i : (std::uint64_t{1} << 60U) - i;
    if (i % 2 == 1)
      one.unreadable->message = "gone";
    list.push_back(std::move(one));
  }
  CHECK(list.contents() == 2);
  bool same = true;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const LtoInput one = list.at(i);
    same = same && one.member == Strings{std::to_string(i)} &&
           one.offset == (i % 5 == 0 ? i : (std::uint64_t{1} << 60U) - i) &&
           one.unreadable->message == (i % 2 == 1 ? "gone" : "torn");
  }
  CHECK(same);
}

TEST_CASE("what is taken out leaves the others as they are") {
  Placed<LtoInput> list;
  for (std::uint32_t i = 0; i < 6; ++i)
    list.push_back(input({std::to_string(i)}, i));
  list.erase_if([](std::size_t i) { return i % 2 == 0; });
  REQUIRE(list.size() == 3);
  CHECK(list.at(0).member == Strings{"1"});
  CHECK(list.at(1).member == Strings{"3"});
  CHECK(list.at(2).streams.front().major == 5);
}
