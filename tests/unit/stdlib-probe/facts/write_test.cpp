// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/write.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin;
using namespace hostpin::probe;
using hostpin::test::FakeFiles;
using Json = nlohmann::json;

namespace {

// Long after the files of a map, whose times are 0.
constexpr std::int64_t asked = 1'000'000'000;

Facts sample() {
  Facts facts;
  facts.compiler.command = {"/usr/bin/g++", "-m64"};
  facts.compiler.family = Family::gcc;
  facts.compiler.version = {12, 2, 0};
  facts.compiler.target = "x86_64-linux-gnu";
  facts.compiler.library = {"libstdc++", 12, 0, true, "", "", ""};
  facts.compiler.default_cplusplus = 201703;
  facts.compiler.c_library = "glibc";
  facts.compiler.glibc = Version{2, 36, 0};
  facts.library = LinkedFacts{
      true,  "/l/libstdc++.so", "/l/libstdc++.so.6.0.30", "libstdc++.so.6", "3.4.30", "1.3.13", "", "",
      "2.36"};
  facts.unknown["libgcc_s"] = "because";
  facts.dependencies = {"/b", "/a", "/b", "relative"};
  return facts;
}

} // namespace

TEST_CASE("an answer in JSON has every member, null where nothing is known") {
  FakeFiles files;
  files.file("/a", "12345");
  const Json json = Json::parse(facts_json(sample(), files, asked));
  CHECK(json["compiler"]["command"] == Json({"/usr/bin/g++", "-m64"}));
  CHECK(json["compiler"]["version"] == "12.2.0");
  CHECK(json["kind"] == "libstdc++");
  CHECK(json["release"] == 12);
  CHECK(json["cxx11_abi"] == true);
  CHECK(json["cplusplus"] == 201703);
  CHECK(json["glibc"] == "2.36");
  CHECK(json["library"]["linked"] == "shared");
  CHECK(json["library"]["glibcxx"] == "3.4.30");
  CHECK(json["library"]["needs_glibc"] == "2.36");
  CHECK(json["libgcc_s"].is_null());
  CHECK(json["c_library"].is_null());
  CHECK(json["sysroot"].is_null());
  CHECK(json["unknown"]["libgcc_s"] == "because");
}

TEST_CASE("an answer has each dependency once, in order, absolute, with 0 for absent ones") {
  FakeFiles files;
  files.file("/a", "12345").file("/here/x");
  const Json list = Json::parse(facts_json(sample(), files, asked))["rests_on"];
  REQUIRE(list.size() == 3);
  CHECK(list[0] == Json{{"path", "/a"}, {"size", 5}, {"modified", 0}});
  CHECK(list[1] == Json{{"path", "/b"}, {"size", 0}, {"modified", 0}});
  CHECK(list[2]["path"] == "/here/relative");
}

TEST_CASE("a file that changed since the query began never counts as unchanged") {
  FakeFiles files;
  files.file("/a", "12345");
  const Json list = Json::parse(facts_json(sample(), files, 0))["rests_on"];
  CHECK(list[0]["modified"] == -1);
}

TEST_CASE("a list has all answers, all their dependencies, and what failed") {
  FakeFiles files;
  Answers answers;
  answers.given = {facts_json(sample(), files, asked), facts_json(sample(), files, asked)};
  answers.refused = {{"/x cannot be used", "h"}};
  answers.looked = {"/bin"};
  answers.asked = asked;
  const Json json = Json::parse(facts_list_json("compilers", answers, files));
  CHECK(json["compilers"].size() == 2);
  CHECK(json["unusable"] == Json({"/x cannot be used"}));
  CHECK(json["rests_on"].size() == 4);
  CHECK(json["rests_on"][0]["path"] == "/bin");
}

TEST_CASE("bytes that are not UTF-8 do not prevent an answer from being written") {
  Facts facts = sample();
  facts.compiler.command = {"/\xff/g++"};
  FakeFiles files;
  CHECK(Json::parse(facts_json(facts, files, asked))["compiler"]["command"][0] == "/\xEF\xBF\xBD/g++");
}

TEST_CASE("text has one answer on several lines and several in rows") {
  FakeFiles files;
  const std::string answer = facts_json(sample(), files, asked);
  const std::string one = facts_text(std::vector{answer});
  CHECK(one.starts_with("/usr/bin/g++ -m64: gcc 12.2.0\n"));
  CHECK(one.find("GLIBCXX_3.4.30  CXXABI_1.3.13  needs GLIBC_2.36\n") != std::string::npos);
  CHECK(one.find("none: because\n") != std::string::npos);
  const std::string two = facts_text(std::vector{answer, answer});
  CHECK(two.find("LIBRARY\n/usr/bin/g++ -m64  libstdc++ 12  new  201703  glibc 2.36  3.4.30") !=
        std::string::npos);
}
