// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/identity/identity.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::identity;

namespace {

Identity example() {
  Identity identity;
  identity.question = "#if defined(__GNUC__)\n__NV_GNUC__ __GNUC__\n#endif\n";
  identity.answer = {"# 0 \"", "\"\n# 1 \"", "\"\n__NV_GNUC__ 13\n"};
  identity.specs = {"x86_64-linux-gnu/13/specs", "specs"};
  identity.translated = true;
  identity.files = {{plan::PlanFile::Kind::file, 10, 20, "/usr/bin/g++"},
                    {plan::PlanFile::Kind::absent, 0, 0, "/a b=c"}};
  return identity;
}

std::string_view asked(const std::vector<const char*>& arguments) {
  return asked_file(arguments);
}

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

TEST_CASE("what was written is read again") {
  const std::string bytes = write_identity(example());
  const auto identity = read_identity(bytes);
  REQUIRE(identity);
  CHECK(identity->question == example().question);
  CHECK(identity->answer == example().answer);
  CHECK(identity->specs == example().specs);
  CHECK(identity->translated);
  CHECK_FALSE(identity->shared);
  REQUIRE(identity->files.size() == 2);
  CHECK(identity->files[0].modified == 20);
  CHECK(identity->files[1].path == "/a b=c");
  CHECK(write_identity(*identity) == bytes);
}

TEST_CASE("every truncation, and every record that says too little or something unknown, is refused") {
  const std::string bytes = write_identity(example());
  const std::string with_an_end = write_identity({"q", {"a", "b"}, {}, false, false, {}});
  for (std::size_t size = 0; size < with_an_end.size(); ++size)
    CHECK_FALSE(read_identity(std::string_view(with_an_end).substr(0, size)));
  CHECK_FALSE(read_identity(write_identity({"", {"a", "b"}, {}, false, false, {}})));
  CHECK_FALSE(read_identity(write_identity({"q", {"a"}, {}, false, false, {}})));
  CHECK_FALSE(read_identity(bytes + std::string("novelty=1\0", 10)));
  CHECK_FALSE(read_identity(bytes + std::string("shared=2\0", 9)));
  CHECK_FALSE(read_identity(bytes + std::string("file=x /usr\0", 12)));
}

TEST_CASE("cut where a name stands, an output is put together again under another name") {
  Identity identity;
  const std::string output = "# 1 \"/tmp/a.cpp\"\n/tmp/a.cpp/tmp/a.cpp\n";
  identity.answer = pieces(output, "/tmp/a.cpp");
  CHECK(identity.answer.size() == 4);
  CHECK(answer_for(identity, "/tmp/a.cpp") == output);
  CHECK(answer_for(identity, "B") == "# 1 \"B\"\nBB\n");
  CHECK(pieces("nothing of it", "/tmp/a.cpp").size() == 1);
}

TEST_CASE("nvcc's call is recognised by its two words") {
  CHECK(asked({"-E", "/tmp/tmpxft_00007ca3_00000000-2.cpp"}) == "/tmp/tmpxft_00007ca3_00000000-2.cpp");
  CHECK(asked({"-E", "/with space/.x.cpp"}) == "/with space/.x.cpp");
}

TEST_CASE("a call that differs in any word is not") {
  CHECK(asked({}).empty());
  CHECK(asked({"-E"}).empty());
  CHECK(asked({"/tmp/a.cpp", "-E"}).empty());
  CHECK(asked({"-E", "/tmp/a.cpp", "-P"}).empty());
  CHECK(asked({"-P", "-E", "/tmp/a.cpp"}).empty());
  CHECK(asked({"-S", "/tmp/a.cpp"}).empty());
  CHECK(asked({"-EE", "/tmp/a.cpp"}).empty());
}

TEST_CASE("a file that compilers would take for another language, or name otherwise, is not") {
  for (const char* const name : {"", "a.cpp", "./a.cpp", "@/tmp/a.cpp", "/tmp/a.c", "/tmp/a.cpp.i",
                                 "/tmp/.cpp", "/.cpp", "/tmp//a.cpp", "/tmp/a\".cpp", "/tmp/a\\.cpp",
                                 "/tmp/a\n.cpp", "/tmp/\xC3\xA4.cpp", "/tmp/a\x7F.cpp", "/tmp/a.CPP"})
    CHECK(asked({"-E", name}).empty());
}

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
