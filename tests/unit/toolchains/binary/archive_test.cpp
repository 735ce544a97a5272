// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/builder.hpp"
#include "toolchains/binary/archive.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using test::member;

namespace {

/// `NAME=CONTENT` of each member, `NAME@HEADER` or `NAME` alone where the content is in another file, `!WHAT`
/// for damage.
std::string members(const std::string& text) {
  const InputFile file(text);
  ArchiveReader reader{Bytes(file), archive_kind(text.substr(0, 8))};
  std::string all;
  while (true) {
    const auto next = reader.next();
    if (!next) {
      CHECK_FALSE(*reader.next());
      return all + '!' + next.error().what;
    }
    if (!*next)
      return all;
    all += (*next)->name;
    if ((*next)->content)
      all += '=' + std::string((*next)->content->up_to(0, 100));
    if ((*next)->nested_at)
      all += '@' + std::to_string(*(*next)->nested_at);
    all += ' ';
  }
}

} // namespace

TEST_CASE("an archive is known by its first bytes") {
  CHECK(archive_kind("!<arch>\n") == ArchiveKind::ordinary);
  CHECK(archive_kind("!<thin>\n") == ArchiveKind::thin);
  CHECK(archive_kind("!<arch>") == ArchiveKind::none);
  CHECK(archive_kind("") == ArchiveKind::none);
}

TEST_CASE("members are told in order, tables are none") {
  const std::string arch = "!<arch>\n";
  const struct {
    const char* what;
    std::string text, members;
  } rows[] = {
      {"no members", arch, ""},
      {"GNU", arch + member("/", "table") + member("a.o/", "one") + member("b.o/", "four"),
       "a.o=one b.o=four "},
      {"GNU, 64-bit table", arch + member("/SYM64/", "table") + member("a.o/", "1"), "a.o=1 "},
      {"GNU, long names",
       arch + member("//", "a_long_name.o/\nb name.o/\n") + member("/0", "1") + member("/15", "2"),
       "a_long_name.o=1 b name.o=2 "},
      {"Microsoft, long names",
       arch + member("//", std::string("a_long_name.o\0b.o\0", 18)) + member("/14", "2"), "b.o=2 "},
      {"BSD", arch + member("__.SYMDEF", "table") + member("a.o", "one"), "a.o=one "},
      {"Darwin",
       arch + test::bsd_member("__.SYMDEF SORTED", "table") + test::bsd_member("a long name.o", "one"),
       "a long name.o=one "},
      {"one name twice", arch + member("a.o/", "1") + member("a.o/", "2"), "a.o=1 a.o=2 "},
      {"a line end behind the last", arch + member("a.o/", "12") + "\n", "a.o=12 "},
      {"no padding behind the last", arch + member("a.o/", "1").substr(0, 61), "a.o=1 "},
      {"empty members", arch + member("a.o/", "") + member("b.o/", "2"), "a.o= b.o=2 "},
      {"thin",
       "!<thin>\n" + member("/", "table") + member("//", "sub/a_long_name.o/\n") + member("/0", "", 5000) +
           member("b.o/", "", 70),
       "sub/a_long_name.o b.o "},
      {"thin, members of another", "!<thin>\n" + member("//", "sub/x.a/\n") + member("/0:788", "", 5000),
       "sub/x.a@788 "},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(members(row.text) == row.members);
  }
}

TEST_CASE("a damaged archive tells what could be read, and why there is no more") {
  const std::string arch = "!<arch>\n", good = arch + member("a.o/", "1");
  const std::string no_header = "!there is no member header where one is expected";
  const std::string no_name = "!the name of a member cannot be read";
  const struct {
    const char* what;
    std::string text, members;
  } rows[] = {
      {"ends within a header", good + member("b.o/", "2").substr(0, 30), "a.o=1 " + no_header},
      {"ends within a member", arch + member("a.o/", "1", 2000), "!a member reaches past its end"},
      {"a size that is no number", arch + test::padded("a.o/", 48) + "12x       `\n" + "1", no_header},
      {"a size without end", arch + test::padded("a.o/", 48) + "9999999999`\n",
       "!a member reaches past its end"},
      {"something else behind a member", good + std::string(60, 'x'), "a.o=1 " + no_header},
      {"a name outside the table", arch + member("//", "a.o/\n") + member("/5", "1"), no_name},
      {"a name without a table", arch + member("/5", "1"), no_name},
      {"a name without an end", arch + member("//", "a.o") + member("/0", "1"), no_name},
      {"a name that is longer than its member", arch + member("#1/20", "short"), no_name},
      {"another archive's member in one that is not thin",
       arch + member("//", "a.o/\n") + member("/0:8", "1"), no_name},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(members(row.text) == row.members);
  }
}

TEST_CASE("a member is found by the place of its header, with a long name too") {
  const std::string head = "!<arch>\n" + member("//", "a_rather_long_name.o/\n");
  const std::string text = head + member("/0", "first") + member("b.o/", "second");
  const InputFile file(text);
  const auto first = ArchiveReader(Bytes(file), ArchiveKind::ordinary).at(head.size());
  REQUIRE((first && *first));
  CHECK((*first)->name == "a_rather_long_name.o");
  const auto second = ArchiveReader(Bytes(file), ArchiveKind::ordinary).at(head.size() + 66);
  REQUIRE((second && *second));
  CHECK((*second)->name == "b.o");
  CHECK_FALSE(ArchiveReader(Bytes(file), ArchiveKind::ordinary).at(head.size() + 1));
  CHECK_FALSE(*ArchiveReader(Bytes(file), ArchiveKind::ordinary).at(text.size()));
}
