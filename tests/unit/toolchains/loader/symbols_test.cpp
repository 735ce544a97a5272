// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/loader/object_builder.hpp"
#include "toolchains/loader/symbols.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::loader;
using namespace hostpin::test;
using Strings = std::vector<std::string>;

TEST_CASE("symbols are told by the version that they want of one library") {
  const std::string file = wanting("libstdc++.so.6", {{"first", "V_1"}, {"second", "V_2"}, {"third", "V_3"}});
  CHECK(symbols_wanting(file, "libstdc++.so.6", "V_2") == Strings{"second"});
  CHECK(symbols_wanting(file, "libstdc++.so.6", "V_9").empty());
  CHECK(symbols_wanting(file, "libm.so.6", "V_2").empty());
}

TEST_CASE("an object refers to what it does not define") {
  const std::string file = object({{"main", 1}, {"wanted", 0}, {"own", 1}});
  CHECK(reference("a.o", file, "wanted") == "a.o");
  CHECK(reference("a.o", file, "own").empty());
  CHECK(reference("a.o", file, "want").empty());
}

TEST_CASE("debug information and strings are no reference") {
  const std::string file = object({{"main", 1}}, std::string("\0wanted\0", 8));
  CHECK(reference("a.o", file, "wanted").empty());
  CHECK(reference("a.cpp", "int main() { wanted(); }", "wanted").empty());
}

TEST_CASE("objects of link-time optimisation are searched for the name") {
  const std::string names("\0wanted\0", 8);
  CHECK(reference("a.o", object({{"__gnu_lto_slim", 0xfff2}}, names), "wanted") == "a.o");
  CHECK(reference("a.o", object({{"__gnu_lto_slim", 0xfff2}}, names), "want").empty());
  CHECK(reference("a.bc", "BC\xC0\xDE....wantedother", "wanted") == "a.bc");
}

TEST_CASE("a shared library on the link line is no part of what is made") {
  CHECK(reference("liba.so", wanting("libm.so.6", {{"wanted", "V_1"}}), "wanted").empty());
}

TEST_CASE("a member of an archive is named, however long its name") {
  const std::string without = object({{"main", 1}}), with = object({{"wanted", 0}});
  const std::string archive = "!<arch>\n" + member("/", "index") + member("//", "a_rather_long_name.o/\n") +
                              member("main.o/", without) + member("/0", with);
  CHECK(reference("lib.a", archive, "wanted") == "lib.a(a_rather_long_name.o)");
  CHECK(reference("lib.a", "!<arch>\n" + member("b.o/", with), "wanted") == "lib.a(b.o)");
  CHECK(reference("lib.a", archive, "absent").empty());
  CHECK(reference("lib.a", "!<thin>\n" + member("absent.o/", with), "wanted").empty());
}

TEST_CASE(
    "what only the newer library defines is lacked by the inputs that refer to it and define it nowhere") {
  const test::Tree tree;
  const auto library = [](const Symbols& symbols) {
    const auto [table, strings] = symbol_table(symbols);
    return sections_file(3, {{11, 2, table}, {3, 0, strings}});
  };
  const std::string older = tree.write("older.so", library({{"old", 1}, {"undefined", 0}}));
  const std::string newer = tree.write(
      "newer.so",
      library({{"old", 1}, {"undefined", 1}, {"added", 1}, {"own", 1}, {"_ZSt21ios_base_library_initv", 1}}));
  const std::vector<std::string> inputs = {
      tree.write("a.o", object({{"old", 0}, {"own", 0}, {"mine", 0}, {"_ZSt21ios_base_library_initv", 0}})),
      tree.write("b.a", "!<arch>\n" + member("b.o/", object({{"added", 0}, {"own", 1}})) +
                            member("c.o/", object({{"added", 0}, {"undefined", 0}}))),
      tree.path("absent.o"), tree.write("newer.o", library({{"added", 0}}))};
  const auto lacked = lacked_symbols(inputs, older, newer);
  REQUIRE(lacked.size() == 2);
  CHECK(lacked[0].name == "added");
  CHECK(lacked[0].by == inputs[1] + "(b.o)");
  CHECK(lacked[1].name == "undefined");
  CHECK(lacked[1].by == inputs[1] + "(c.o)");
  CHECK(lacked_symbols(inputs, newer, older).empty());
  CHECK(lacked_symbols(inputs, tree.path("absent.so"), newer).empty()); // nothing is known
}

TEST_CASE("files that are cut short or damaged are read without harm") {
  const std::string archive = "!<arch>\n" + member("//", "long.o/\n") + member("/0", object({{"wanted", 0}}));
  for (std::size_t size = 0; size < archive.size(); ++size)
    reference("lib.a", std::string_view(archive).substr(0, size), "wanted");
  const std::string file = wanting("libc.so.6", {{"a", "V_1"}, {"b", "V_2"}});
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = '\xff';
    CHECK(symbols_wanting(damaged, "libc.so.6", "V_2").size() <= 2);
  }
}
