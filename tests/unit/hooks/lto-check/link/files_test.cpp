// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/files.hpp"
#include "tests/tree.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/compiler/discovery.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using hostpin::test::ElfBuilder;
using hostpin::test::Tree;
using Strings = std::vector<std::string>;

namespace {

const std::string wide = ElfBuilder(true, true).build("libx.so", {});
const std::string narrow = ElfBuilder(false, true).build("libx.so", {});

Seen look(const std::string& path) {
  const DiskFiles disk;
  const auto status = disk.status(path);
  if (!status)
    return Seen::nothing;
  if (status->kind == FileStatus::Kind::directory)
    return Seen::directory;
  const auto content = disk.read(path, longest_script);
  return content && may_be_script(content->substr(0, script_head), content->size()) ? Seen::text
                                                                                    : Seen::other;
}

/// Paths below the directory that a link reads; `!whole` and `!group` where they hold.
Strings found(const Tree& scratch, const std::string& line) {
  const Strings words = cmdline::command_words(line).value();
  cmdline::LinkerCommand link = cmdline::linker_command(words);
  for (std::string& directory : link.directories)
    directory = scratch.path(directory);
  for (cmdline::LinkerInput& input : link.inputs)
    if (!input.library)
      input.name = scratch.path(input.name);
  Strings names;
  for (const LinkFile& file : link_files(link, DiskFiles(), look)) {
    std::string name = file.path.substr(scratch.path("").size());
    names.push_back(name + (file.whole_archive ? "!whole" : "") + (file.group != 0 ? "!group" : ""));
  }
  return names;
}

} // namespace

TEST_CASE("a library is found in the first directory that has it, shared before static") {
  const Tree scratch;
  scratch.write("a/libone.a", "!<arch>\n");
  scratch.write("b/libone.so", wide);
  scratch.write("b/libtwo.so", wide);
  scratch.write("b/libtwo.a", "!<arch>\n");
  scratch.write("b/exact.o", wide);
  CHECK(found(scratch, "ld -La -Lb -lone") == Strings{"a/libone.a"});
  CHECK(found(scratch, "ld -Lb -La -lone") == Strings{"b/libone.so"});
  CHECK(found(scratch, "ld -La -Lb -ltwo -Bstatic -ltwo") == Strings{"b/libtwo.so", "b/libtwo.a"});
  CHECK(found(scratch, "ld -La -Lb -l:exact.o -lnone") == Strings{"b/exact.o"});
}

TEST_CASE("a library of another kind is passed over") {
  const Tree scratch;
  scratch.write("a/libone.so", narrow);
  scratch.write("b/libone.so", wide);
  CHECK(found(scratch, "ld -m elf_x86_64 -La -Lb -lone") == Strings{"b/libone.so"});
  CHECK(found(scratch, "ld -m elf32_x86_64 -La -Lb -lone") == Strings{"a/libone.so"});
  CHECK(found(scratch, "ld -La -Lb -lone") == Strings{"a/libone.so"});
}

TEST_CASE("a directory named for its symbols is a run path, and a file is an input") {
  const Tree scratch;
  scratch.write("a/one.o", wide);
  CHECK(found(scratch, "ld -R a -Ra/one.o --just-symbols=a --just-symbols=a/one.o") ==
        Strings{"a/one.o", "a/one.o"});
  CHECK(found(scratch, "ld -La -R one.o").empty());
}

TEST_CASE("linker scripts are followed, and lend their inputs where they stand") {
  const Tree scratch;
  scratch.write("a/libreal.so.6", wide);
  scratch.write("a/libmore.a", "!<arch>\n");
  scratch.write("a/libreal.so", "/* GNU ld script */\nGROUP ( libreal.so.6 AS_NEEDED ( -lmore ) )\n");
  scratch.write("first.o", wide);
  CHECK(found(scratch, "ld -La first.o -lreal") ==
        Strings{"first.o", "a/libreal.so.6!group", "a/libmore.a!group"});
  CHECK(found(scratch, "ld -La --whole-archive -lreal") ==
        Strings{"a/libreal.so.6!whole!group", "a/libmore.a!whole!group"});
}

TEST_CASE("scripts that name themselves or each other end") {
  const Tree scratch;
  scratch.write("a.ld", "INPUT ( " + scratch.path("b.ld") + " )");
  scratch.write("b.ld", "INPUT ( " + scratch.path("a.ld") + " " + scratch.path("a.ld") + " )");
  CHECK(found(scratch, "ld a.ld").size() < 1000);
}

TEST_CASE("a script names directories, its first object and symbols too") {
  const Tree scratch;
  scratch.write("d/libone.a", "!<arch>\n");
  scratch.write("d/first.o", wide);
  scratch.write("whole.ld", "STARTUP(d/first.o) SEARCH_DIR(" + scratch.path("d") + ") EXTERN(one two)\n");
  CHECK(found(scratch, "ld -Twhole.ld -lone") == Strings{"whole.ld", "d/first.o!group", "d/libone.a"});
  CHECK(found(scratch, "ld --default-script=whole.ld").size() == 2);
  cmdline::LinkerCommand words;
  words.inputs.push_back({scratch.path("whole.ld"), false, true, false, 0, false, false, false, true, false});
  const std::vector<LinkFile> files = link_files(words, DiskFiles(), look);
  REQUIRE(files.size() == 2);
  CHECK(files[0].wanted == Strings{"one", "two"});
  CHECK(files[0].early);
}

TEST_CASE("the linker's own directories come last, and are asked for when they must be") {
  const Tree scratch;
  scratch.write("own/libone.a", "!<arch>\n");
  scratch.write("own/libtwo.a", "!<arch>\n");
  scratch.write("mine/libtwo.a", "!<arch>\n");
  int asked = 0;
  const auto files = [&](const Strings& line) {
    Strings paths;
    for (const LinkFile& file : link_files(cmdline::linker_command(line), DiskFiles(), look, [&] {
           ++asked;
           return Strings{scratch.path("own")};
         }))
      paths.push_back(file.path);
    return paths;
  };
  CHECK(files({"ld", "-L" + scratch.path("mine"), "-ltwo"}) == Strings{scratch.path("mine/libtwo.a")});
  CHECK(asked == 0);
  CHECK(files({"ld", "-L" + scratch.path("mine"), "-lone", "-lnone"}) ==
        Strings{scratch.path("own/libone.a")});
  CHECK(asked == 1);
}

TEST_CASE("text that is no script, and what is not there") {
  const Tree scratch;
  scratch.write("notes.txt", "these are notes\n");
  CHECK(found(scratch, "ld notes.txt missing.o") == Strings{"notes.txt"});
}

TEST_CASE("a pipe is not waited for") {
  const Tree scratch;
  REQUIRE(::mkfifo(scratch.path("fifo").c_str(), 0600) == 0);
  CHECK_FALSE(kind_of_file(scratch.path("fifo")));
  CHECK(found(scratch, "ld fifo") == Strings{"fifo"});
}

TEST_CASE("only a short text may be a linker script") {
  CHECK(may_be_script("/* GNU ld script", 200));
  CHECK(may_be_script("INPUT(-lm)\n", 11));
  CHECK_FALSE(may_be_script("", 0));
  CHECK_FALSE(may_be_script("INPUT(-lm)\n     ", longest_script + 1));
  CHECK_FALSE(may_be_script("!<arch>\nfoo.o/  ", 300));
  CHECK_FALSE(may_be_script(std::string_view("BC\xC0\xDE\x35\x14\0\0", 8), 300));
  CHECK_FALSE(may_be_script(std::string_view("\xDE\xC0\x17\x0B", 4), 300));
  CHECK_FALSE(may_be_script(wide.substr(0, script_head), wide.size()));
}

TEST_CASE("a script begins with a command or an assignment") {
  for (const char* const text :
       {"", "/* only a comment */\n", "/* GNU ld script */\nGROUP ( /lib/libc.so.6 )", "INPUT(-lm)",
        ";; SECTIONS { }", "INCLUDE other.ld", "a = b;", ". += 4;", "a<<=1;", "EXTERN(f)"})
    CHECK_MESSAGE(is_script(text), text);
  for (const char* const text :
       {"foo", "int main() { return 0; }", "#include <cstdio>\n", "/* C */ int x = 3;", "// C++\nx = 1;",
        "INPUTS(a)", "VERS_1 { global: f; };", "= b"})
    CHECK_FALSE_MESSAGE(is_script(text), text);
}

TEST_CASE("a script's INCLUDE is followed into the directories of -L, and not out of a comment") {
  const Tree scratch;
  scratch.write("a.o", wide);
  scratch.write("d/inner.ld", "INPUT ( " + scratch.path("a.o") + " )\n");
  scratch.write("s.ld", "/* INCLUDE none.ld */ SECTIONS { INCLUDE \"inner.ld\" } INCLUDE");
  CHECK(found(scratch, "ld -Ld s.ld") == Strings{"s.ld", "a.o!group"});
  scratch.write("d/self.ld", "INCLUDE self.ld INCLUDE self.ld");
  CHECK(found(scratch, "ld -Ld d/self.ld").size() < 1000);
}

TEST_CASE("a script asks for what EXTERN names and what assignments stand for") {
  CHECK(script_symbols("EXTERN(one two) EXTERN ( three )").wanted == Strings{"one", "two", "three"});
  CHECK_FALSE(script_symbols("EXTERN(one)").doubtful);
  CHECK(script_symbols("a = b;").wanted == Strings{"b"});
  CHECK(script_symbols("a = b + 0x10 - . + c_1; d += e;").wanted == Strings{"b", "c_1", "e"});
  CHECK(script_symbols("/* a = b; */ a /* = x */ = 4 /* y */;").wanted.empty());
  CHECK(script_symbols("a = b;").doubtful);
}

TEST_CASE("words that linkers take in different ways make the rest of the answer doubtful") {
  for (const char* text : {"PROVIDE(a = b);", "PROVIDE_HIDDEN(a = b);", "HIDDEN(a = b);", "ENTRY(b)",
                           "ASSERT(b, \"x\")", "a = DEFINED(b) ? b : 0;", "SECTIONS { .x : { a = b; } }"}) {
    CAPTURE(text);
    CHECK(script_symbols(text).doubtful);
    CHECK(script_symbols(text).wanted.empty());
  }
  CHECK_FALSE(
      script_symbols("OUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /lib/libc.so.6 AS_NEEDED ( x.so ) )").doubtful);
  for (const char* text : {"", "=", ";", "a =", "/*", "a = /*", "=;=;"})
    CHECK(script_symbols(text).wanted.empty());
}
