// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/compiler/discovery.hpp"
#include "toolchains/library/link_search.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::ElfBuilder;
using hostpin::test::FakeFiles;
using Strings = std::vector<std::string>;

namespace {

const std::string library = ElfBuilder(true, true).build("libstdc++.so.6", {"GLIBCXX_3.4.30"});
const std::string narrow_library = ElfBuilder(false, true).build("libstdc++.so.6", {"GLIBCXX_3.4.30"});
const std::string archive = "!<arch>\n";

cmdline::LinkerCommand command(const std::string& line) {
  const Strings words = cmdline::command_words(line).value_or(Strings{});
  return cmdline::linker_command(words);
}

/// The file taken for -lstdc++, `archive PATH`, `nothing`, or what is wrong.
std::string taken(const FakeFiles& files, const std::string& line, std::string_view name = "stdc++") {
  const auto found = linked_library(files, command(line), name).library;
  if (!found)
    return found.error().message;
  if (!*found)
    return "nothing";
  return ((*found)->object ? "" : "archive ") + (*found)->path;
}

FakeFiles machine() {
  FakeFiles files;
  files.file("/a/libstdc++.so", library).file("/a/libstdc++.a", archive);
  files.file("/b/libstdc++.so.6.0.30", library).link("/b/libstdc++.so", "/b/libstdc++.so.6.0.30");
  files.file("/only/libstdc++.a", archive).file("/narrow/libstdc++.so", narrow_library);
  return files;
}

} // namespace

TEST_CASE("the first directory that has the library wins, the shared one before the archive") {
  const FakeFiles files = machine();
  struct Row {
    const char* line;
    const char* taken;
  };
  const Row rows[] = {
      {"ld -L/a -L/b -lstdc++", "/a/libstdc++.so"},
      {"ld -lstdc++ -L/b -L/a", "/b/libstdc++.so.6.0.30"},
      {"ld -L/absent -L/only -L/a -lstdc++", "archive /only/libstdc++.a"},
      {"ld -L/a -Bstatic -lstdc++ -Bdynamic -lm", "archive /a/libstdc++.a"},
      {"ld -L/a -Bstatic -lm -Bdynamic -lstdc++", "/a/libstdc++.so"},
      {"ld -L/a -static -lstdc++", "archive /a/libstdc++.a"},
      {"ld -L/a --push-state -Bstatic -lm --pop-state -lstdc++", "/a/libstdc++.so"},
      {"ld -m elf_x86_64 -L/narrow -L/a -lstdc++", "/a/libstdc++.so"},
      {"ld -m elf32_x86_64 -L/narrow -L/a -lstdc++", "/narrow/libstdc++.so"},
      {"ld -L /b --library=stdc++", "/b/libstdc++.so.6.0.30"},
      {"ld --library-path=/b --library stdc++", "/b/libstdc++.so.6.0.30"},
      {"ld -L/b -l:libstdc++.so.6.0.30", "/b/libstdc++.so.6.0.30"},
      {"ld -L/a /b/libstdc++.so -lstdc++", "/b/libstdc++.so.6.0.30"},
      {"ld -L/a /only/libstdc++.a", "archive /only/libstdc++.a"},
      {"ld -L/a -o libstdc++.so -lm", "nothing"},
      {"ld -L/a -soname libstdc++.so x.o", "nothing"},
      {"ld -L/a -lstdc++fs", "nothing"},
      {"ld -L/a -lstdc++exp -lstdc++", "/a/libstdc++.so"},
      {"ld", "nothing"},
      {"ld -L/absent -lstdc++", "the link asks for -lstdc++, but none of its directories has libstdc++.so"},
      {"ld -L/b -Bstatic -lstdc++",
       "the link asks for -lstdc++, but none of its directories has libstdc++.a, "
       "and it takes archives only"},
      {"ld -m elf_i386 -L/b -L/narrow -lstdc++",
       "the link asks for -lstdc++, but none of its directories has libstdc++.so"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(taken(files, row.line) == row.taken);
  }
}

TEST_CASE("linker scripts are followed as the linker follows them") {
  struct Row {
    const char* script;
    const char* line;
    const char* taken;
  };
  const Row rows[] = {
      {"INPUT(/a/libstdc++.so -lstdc++_nonshared)", "ld -L/s -lstdc++", "/a/libstdc++.so"},
      {"GROUP ( libstdc++.so.6.0.30 )", "ld -L/s -L/b -lstdc++", "/b/libstdc++.so.6.0.30"},
      {"GROUP ( AS_NEEDED ( -l:libstdc++.so.6.0.30 ) )", "ld -L/s -L/b -lstdc++", "/b/libstdc++.so.6.0.30"},
      {"INPUT(/libstdc++.so)", "ld --sysroot=/s -L=/ -lstdc++", "/s/libstdc++.so.6"},
      {"INPUT(=/a/libstdc++.so)", "ld --sysroot= -L/s -lstdc++", "/a/libstdc++.so"},
      {"INPUT(beside/libstdc++.so)", "ld -L/s -lstdc++", "/s/beside/libstdc++.so"},
      {"INPUT(/s/libstdc++.so)", "ld -L/s -lstdc++",
       "/s/libstdc++.so: linker scripts name each other without end"},
      {"INPUT(-lstdc++)", "ld -L/s -lstdc++", "/s/libstdc++.so: linker scripts name each other without end"},
      {"any text", "ld -L/s -lstdc++",
       "/s/libstdc++.so is neither a library nor a linker script that names one"},
      {"", "ld -L/s -lstdc++", "/s/libstdc++.so is neither a library nor a linker script that names one"},
      {"INPUT(/lib/libm.so.6)", "ld -L/s -lstdc++",
       "/s/libstdc++.so is neither a library nor a linker script that names one"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.script);
    CAPTURE(row.line);
    FakeFiles files = machine();
    files.file("/s/libstdc++.so", row.script).file("/s/beside/libstdc++.so", library);
    if (std::string_view(row.line).find("--sysroot=/s") != std::string_view::npos)
      files.file("/s/libstdc++.so", "INPUT(/libstdc++.so.6)").file("/s/libstdc++.so.6", library);
    CHECK(taken(files, row.line) == row.taken);
  }
}

TEST_CASE("a damaged library is an error that names it") {
  FakeFiles files;
  files.file("/a/libstdc++.so", library.substr(0, 200));
  CHECK(taken(files, "ld -L/a -lstdc++").starts_with("/a/libstdc++.so cannot be used: it is cut short"));
}

TEST_CASE("an answer rests on every directory that was looked into and every file on the way") {
  FakeFiles files = machine();
  files.file("/s/libstdc++.so", "INPUT(/b/libstdc++.so)");
  const LibrarySearch search = linked_library(files, command("ld -L/absent -L/s -L/a -lstdc++"), "stdc++");
  REQUIRE(search.library);
  REQUIRE(*search.library);
  CHECK((*search.library)->found == "/s/libstdc++.so");
  CHECK(search.rests_on ==
        Strings{"/absent", "/s", "/s/libstdc++.so", "/b/libstdc++.so", "/b/libstdc++.so.6.0.30"});
}

TEST_CASE("a failed answer rests on what made it fail, and on what was passed over") {
  FakeFiles files = machine();
  files.file("/s/libstdc++.so", "any text");
  CHECK(linked_library(files, command("ld -L/s -lstdc++"), "stdc++").rests_on ==
        Strings{"/s", "/s/libstdc++.so"});
  CHECK(linked_library(files, command("ld -m elf_x86_64 -L/narrow -L/b -lstdc++"), "stdc++").rests_on ==
        Strings{"/narrow", "/narrow/libstdc++.so", "/b", "/b/libstdc++.so", "/b/libstdc++.so.6.0.30"});
  CHECK(linked_library(files, command("ld -L/absent -lstdc++"), "stdc++").rests_on == Strings{"/absent"});
}

TEST_CASE("the linker's words are those of the last linker that a driver shows") {
  const std::string text =
      "Target: x86_64-linux-gnu\n"
      " /usr/lib/gcc/12/cc1plus -quiet /dev/null -o /tmp/a.s\n"
      " as --64 -o /tmp/a.o /tmp/a.s\n"
      "COLLECT_GCC_OPTIONS='-L/no' '-shared-libgcc'\n"
      " /usr/lib/gcc/12/collect2 -m elf_x86_64 -dynamic-linker /lib64/ld.so -L/x \"-lstdc++\"\n"
      "COLLECT_GCC_OPTIONS='-L/no'\n";
  const Strings words = shown_linker_words(text);
  REQUIRE(words.size() == 7);
  const cmdline::LinkerCommand link = cmdline::linker_command(words);
  CHECK(link.directories == Strings{"/x"});
  CHECK(link.emulation == "elf_x86_64");
  CHECK(link.loader == "/lib64/ld.so");
  CHECK(shown_linker_words(" \"/usr/bin/ld.lld\" \"-L/a b\"\n") == Strings{"/usr/bin/ld.lld", "-L/a b"});
  CHECK(shown_linker_words(" /usr/bin/clang -cc1 -L/x\n as x\n").empty());
  CHECK(shown_linker_words("").empty());
  CHECK(shown_linker_words(" \"/usr/bin/ld\" \"unclosed\n").empty());
}
