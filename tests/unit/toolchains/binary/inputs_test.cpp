// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"
#include "toolchains/binary/inputs.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using test::member;

namespace {

/// Each input and its bytes, or `!` and why there are none; paths without the directory.
std::vector<std::string> inputs(const test::Tree& scratch, const std::string& name) {
  std::vector<std::string> all;
  const std::string directory = scratch.path("");
  each_input(scratch.path(name), [&](const InputName& input, const Result<Bytes>& bytes) {
    std::string text =
        to_string(input) + (bytes ? '=' + std::string(bytes->up_to(0, 100)) : '!' + bytes.error().message);
    for (std::size_t at = 0; (at = text.find(directory)) != std::string::npos;)
      text.erase(at, directory.size());
    all.push_back(text);
    return true;
  });
  return all;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("names show where a member is") {
  const std::string path = "libx.a";
  const std::vector<std::string> none, nested = {"in.a", "x.o"};
  CHECK(to_string(InputName{path, none}) == "libx.a");
  CHECK(to_string(InputName{path, nested}) == "libx.a(in.a(x.o))");
}

TEST_CASE("a file is one input, an archive its members, archives inside it theirs") {
  const test::Tree scratch;
  scratch.write("x.o", "one");
  scratch.write("lib.a",
                test::archive({{"a.o", "1"}, {"in.a", test::archive({{"b.o", "2"}})}, {"c.o", "3"}}));
  CHECK(inputs(scratch, "x.o") == Lines{"x.o=one"});
  CHECK(inputs(scratch, "lib.a") == Lines{"lib.a(a.o)=1", "lib.a(in.a(b.o))=2", "lib.a(c.o)=3"});
  CHECK(inputs(scratch, "absent") == Lines{"absent!it cannot be read: No such file or directory"});
}

TEST_CASE("a thin archive's members are files beside it, or members of other archives") {
  const test::Tree scratch;
  const std::string other = test::archive({{"a.o", "1"}, {"b.o", "22"}});
  const std::string absolute = scratch.write("elsewhere/d.o", "4");
  scratch.write("lib/sub/c.o", "3");
  scratch.write("lib/other.a", other);
  scratch.write("lib/thin.a", "!<thin>\n" + member("//", "sub/c.o/\nother.a/\n" + absolute + "/\n") +
                                  member("/0", "", 1) +
                                  member("/9:" + std::to_string(other.find("b.o/")), "", 2) +
                                  member("/18", "", 1) + member("gone.o/", "", 1));
  CHECK(inputs(scratch, "lib/thin.a") ==
        Lines{"lib/thin.a(sub/c.o)=3", "lib/thin.a(other.a(b.o))=22", "lib/thin.a(elsewhere/d.o)=4",
              "lib/thin.a(gone.o)!it cannot be read: No such file or directory"});
}

TEST_CASE("archives inside themselves and without end are told, not followed") {
  const test::Tree scratch;
  scratch.write("self.a", "!<thin>\n" + member("self.a/", "", 1) + member("x.o/", "", 1));
  scratch.write("one.a", "!<thin>\n" + member("two.a/", "", 1));
  scratch.write("two.a", "!<thin>\n" + member("one.a/", "", 1));
  scratch.write("x.o", "x");
  CHECK(inputs(scratch, "self.a") ==
        Lines{"self.a(self.a)!it is a damaged archive: it contains itself", "self.a(x.o)=x"});
  CHECK(inputs(scratch, "one.a") == Lines{"one.a(two.a(one.a))!it is a damaged archive: it contains itself"});

  const std::string names = member("//", "proxy.a/\n"), to_itself = member("/0:78", "", 1);
  scratch.write("proxy.a", "!<thin>\n" + names + to_itself);
  REQUIRE(("!<thin>\n" + names).size() == 78);
  CHECK(inputs(scratch, "proxy.a") == Lines{"proxy.a(proxy.a)!it is a damaged archive: it contains itself"});

  std::string deep = test::archive({{"x.o", "x"}});
  for (int i = 0; i < 7; ++i)
    deep = test::archive({{"in.a", deep}});
  scratch.write("deep.a", deep);
  CHECK(inputs(scratch, "deep.a").at(0).ends_with("(x.o))))))))=x"));
  scratch.write("deep.a", test::archive({{"in.a", deep}}));
  CHECK(inputs(scratch, "deep.a").at(0).ends_with("it is nested more than 8 levels deep"));
}

TEST_CASE("a proxy for a member that is not there is told") {
  const test::Tree scratch;
  scratch.write("text", "text");
  scratch.write("other.a", test::archive({{"a.o", "1"}}));
  scratch.write("thin.a", "!<thin>\n" + member("//", "text/\nother.a/\n") + member("/0:8", "", 1) +
                              member("/6:9", "", 1) + member("/6:999", "", 1));
  CHECK(inputs(scratch, "thin.a") ==
        Lines{"thin.a(text)!it is a damaged archive: it is not an archive",
              "thin.a(other.a)!it is a damaged archive: there is no member header where one "
              "is expected",
              "thin.a(other.a)!it is a damaged archive: there is no such member"});
}

TEST_CASE("an archive that ends too soon gives its members, then itself") {
  const test::Tree scratch;
  const std::string whole = test::archive({{"a.o", "1"}, {"b.o", "2"}});
  scratch.write("cut.a", whole.substr(0, whole.size() - 10));
  CHECK(inputs(scratch, "cut.a") ==
        Lines{"cut.a(a.o)=1",
              "cut.a!it is a damaged archive: there is no member header where one is expected"});
}

TEST_CASE("an archive that changes while its members are visited is told") {
  const test::Tree scratch;
  const std::string path = scratch.write("lib.a", test::archive({{"a.o", "1"}, {"b.o", "2"}}));
  std::vector<std::string> errors;
  each_input(path, [&](const InputName&, const Result<Bytes>& bytes) {
    if (!bytes)
      errors.push_back(bytes.error().message);
    else
      std::filesystem::last_write_time(path,
                                       std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    return true;
  });
  CHECK(errors == Lines{"it changed while it was read"});
}

TEST_CASE("a visitor can stop anywhere") {
  const test::Tree scratch;
  const std::string path = scratch.write(
      "lib.a",
      test::archive({{"a.o", "1"}, {"in.a", test::archive({{"b.o", "2"}, {"c.o", "3"}})}, {"d.o", "4"}}));
  for (int wanted = 1; wanted <= 4; ++wanted) {
    int seen = 0;
    each_input(path, [&](const InputName&, const Result<Bytes>&) { return ++seen < wanted; });
    CHECK(seen == wanted);
  }
}
