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

TEST_CASE("the linker's command is read in either family's spelling") {
  const LinkLine gcc = link_line(
      "COLLECT_GCC_OPTIONS='-L/no' '-o' 'x'\n /usr/lib/gcc/12/cc1plus -quiet -L/no\n"
      " /usr/lib/gcc/12/collect2 \"--sysroot=/r\" -dynamic-linker /lib64/ld.so -L/a -L/b \"-L/c d\" "
      "\"--dynamic-linker=/r/ld.so\" -rpath /x:/y -rpath=/z -lstdc++\nCOLLECT_GCC_OPTIONS='-L/no'\n");
  CHECK(gcc.loader == "/r/ld.so");
  CHECK(gcc.sysroot == "/r");
  CHECK(gcc.library_directories == Strings{"/a", "/b", "/c d"});
  CHECK(gcc.run_paths == Strings{"/x", "/y", "/z"});
  CHECK(link_line("").loader.empty());
  CHECK(link_line(" \"open -dynamic-linker x\n").loader.empty());
  CHECK(link_line(" ld -dynamic-linker").loader.empty());
}

TEST_CASE("standard libraries are named by -l, or as a file") {
  const auto named = [](const std::string& words) {
    return link_line(" ld -dynamic-linker /lib64/ld.so " + words + "\n").libraries;
  };
  for (const char* const words :
       {"-lstdc++", "-lc++ -lm", "-Bstatic -lstdc++ -Bdynamic -lc", "-l:libstdc++.so.6", "-l:libc++.a",
        "Scrt1.o -lfirst /tmp/x.o -lstdc++ -lc crtendS.o crtn.o", "/usr/lib/libstdc++.so", "libstdc++.a",
        "\"/opt/a b/libc++.so.1\""}) {
    CAPTURE(words);
    CHECK(named(words) == StandardLibraries::cxx);
  }
  for (const char* const words : {"-lc -lgcc", "-lstdc++ -lc /tmp/x.o -lgcc crtn.o", "-lstdc++fs -lc",
                                  "-lgcc --push-state --as-needed -lgcc_s --pop-state -lc"}) {
    CAPTURE(words);
    CHECK(named(words) == StandardLibraries::c);
  }
  for (const char* const words :
       {"", "-lstdc++ /tmp/x.o -lgcc crtn.o", "-lstdc++fs", "-lc++abi -lsupc++", "-L/usr/lib/libstdc++.d",
        "/opt/libstdc++.d/x.o", "-rpath /opt/libc++.1/lib", "-lgcc_s", "-lcrypt"}) {
    CAPTURE(words);
    CHECK(named(words) == StandardLibraries::none);
  }
  // What is only said of the call, and not passed to the linker, does not count.
  CHECK(link_line("COLLECT_GCC_OPTIONS='-lstdc++'\n ld -dynamic-linker /lib64/ld.so -lc\n").libraries ==
        StandardLibraries::c);
}

TEST_CASE("a link without a loader is known by the linker's name") {
  const LinkLine line = link_line(" /usr/lib/gcc/12/cc1plus -quiet -lno\n as -o /tmp/x.o\n"
                                  " /usr/bin/ld -static -L/a /tmp/x.o --start-group -lgcc -lc --end-group\n");
  CHECK(line.loader.empty());
  CHECK(line.libraries == StandardLibraries::c);
  CHECK(line.library_directories == Strings{"/a"});
  CHECK(link_line(" /opt/collect2 -shared /tmp/x.o -lstdc++ -lc\n").libraries == StandardLibraries::cxx);
  CHECK(link_line(" /opt/collect2 -r /tmp/x.o\n").libraries == StandardLibraries::none);
  for (const char* const text : {"", " as -o x.o x.s -lc\n", "ld -lc\n", " \"ld -lc\n"}) {
    CAPTURE(text);
    CHECK(link_line(text).libraries == StandardLibraries::unseen);
  }
}

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
      {"ld -L/absent -lstdc++", "the link names -lstdc++, but none of its directories has libstdc++.so"},
      {"ld -L/b -Bstatic -lstdc++", "the link names -lstdc++, but none of its directories has libstdc++.a, "
                                    "and the link uses archives only"},
      {"ld -m elf_i386 -L/b -L/narrow -lstdc++",
       "the link names -lstdc++, but none of its directories has libstdc++.so"},
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
  CHECK(search.dependencies ==
        Strings{"/absent", "/s", "/s/libstdc++.so", "/b/libstdc++.so", "/b/libstdc++.so.6.0.30"});
}

TEST_CASE("a failed answer rests on what made it fail, and on what was passed over") {
  FakeFiles files = machine();
  files.file("/s/libstdc++.so", "any text");
  CHECK(linked_library(files, command("ld -L/s -lstdc++"), "stdc++").dependencies ==
        Strings{"/s", "/s/libstdc++.so"});
  CHECK(linked_library(files, command("ld -m elf_x86_64 -L/narrow -L/b -lstdc++"), "stdc++").dependencies ==
        Strings{"/narrow", "/narrow/libstdc++.so", "/b", "/b/libstdc++.so", "/b/libstdc++.so.6.0.30"});
  CHECK(linked_library(files, command("ld -L/absent -lstdc++"), "stdc++").dependencies == Strings{"/absent"});
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
