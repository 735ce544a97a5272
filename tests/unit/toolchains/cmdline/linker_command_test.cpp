// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/linker_command.hpp"
#include "toolchains/cmdline/tokens.hpp"

#include <doctest/doctest.h>

using namespace hostpin::cmdline;
using Strings = std::vector<std::string>;

namespace {

LinkerCommand read(const std::string& line) {
  const Strings words = command_words(line).value();
  return linker_command(words);
}

/// Inputs with a mark for each quality that is not the usual one.
std::string inputs(const std::string& line) {
  std::string text;
  for (const LinkerInput& input : read(line).inputs) {
    text.append(text.empty() ? "" : " ").append(input.library ? "-l" : "").append(input.name);
    text += input.shared ? "" : "!static";
    text += input.whole_archive ? "!whole" : "";
    text += input.symbols ? "!symbols" : "";
    text += input.data ? "!data" : "";
    text += input.lazy ? "!lazy" : "";
    text += input.run_path ? "!rpath" : "";
    text += input.group != 0 ? "!group" + std::to_string(input.group) : "";
  }
  return text;
}

} // namespace

TEST_CASE("inputs are words that are no option and no option's value") {
  struct Row {
    const char* line;
    const char* inputs;
  };
  const Row rows[] = {
      {"ld a.o -o out b.a", "a.o b.a"},
      {"ld -o out -m elf_x86_64 a.o", "a.o"},
      {"ld -dynamic-linker /lib/ld.so --dynamic-linker=/lib/ld.so a.o", "a.o"},
      {"ld -R a.o -Rb.o --just-symbols=c.o d.o", "a.o!symbols!rpath b.o!symbols!rpath c.o!symbols d.o"},
      {"ld -z now -zrelro -rpath /x -soname y.so.1 -Map m.txt a.o", "a.o"},
      {"ld -lm -l m --library=m --library m -l:libm.a", "-lm -lm -lm -lm -l:libm.a"},
      {"ld -T script.ld --script=other.ld a.o", "script.ld other.ld a.o"},
      {"ld -u wanted -e start --defsym x=y a.o", "a.o"},
      {"ld -plugin /p/liblto_plugin.so -plugin-opt=-fresolution=/tmp/x.res -plugin-opt /y a.o", "a.o"},
      {"collect2 -flto -fuse-ld=gold a.o", "a.o"},
      {"nvlink --arch=sm_80 -m64 -cpu-arch=X86_64 a.o -o x.cubin --host-ccbin g++ -lcudadevrt",
       "a.o -lcudadevrt"},
      {"ld -o", ""},
      {"ld - a.o", "a.o"},
      {"ld", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(inputs(row.line) == row.inputs);
  }
}

TEST_CASE("switches hold for the inputs behind them") {
  CHECK(inputs("ld a.o -b binary b.bc --format=elf64-x86-64 d.o --format binary e.o") ==
        "a.o b.bc!data d.o e.o!data");
  CHECK(inputs("ld a.o --start-lib b.o -lc --end-lib d.o") == "a.o b.o!lazy -lc!lazy d.o");
  CHECK(inputs("ld a.a --whole-archive b.a --no-whole-archive c.a") == "a.a b.a!whole c.a");
  CHECK(inputs("ld -Bstatic -la -Bdynamic -lb -static -lc") == "-la!static -lb -lc!static");
  CHECK(inputs("ld --push-state --whole-archive a.a --pop-state b.a") == "a.a!whole b.a");
  CHECK(inputs("ld --start-group a.a b.a --end-group c.a -( d.a -) e.a") ==
        "a.a!group1 b.a!group1 c.a d.a!group2 e.a");
  CHECK(inputs("ld ( a.a ) b.a") == "a.a!group1 b.a");
  CHECK(inputs("ld --pop-state a.o") == "a.o");
}

TEST_CASE("directories hold the sysroot in place of their mark, wherever it stands") {
  const LinkerCommand words = read("ld -L=/lib -L /usr/lib -L$SYSROOT/x --library-path=/y --sysroot=/root");
  CHECK(words.directories == Strings{"/root/lib", "/usr/lib", "/root/x", "/y"});
  CHECK(words.sysroot == "/root");
  CHECK(read("ld --sysroot=/").sysroot.empty());
}

TEST_CASE("what decides how bitstreams are taken is kept") {
  const LinkerCommand gcc =
      read("/usr/libexec/collect2 -plugin /l/liblto_plugin.so -plugin-opt=/l/lto-wrapper "
           "-fuse-ld=gold -shared -r -u one --entry=two a.o");
  CHECK(gcc.program == "/usr/libexec/collect2");
  CHECK(gcc.plugins == Strings{"/l/liblto_plugin.so"});
  CHECK(gcc.lto_wrapper == "/l/lto-wrapper");
  CHECK(gcc.use_linker == "gold");
  CHECK(gcc.wanted == Strings{"one", "two"});
  CHECK(gcc.shared);
  CHECK(gcc.relocatable);
  CHECK_FALSE(gcc.no_lto);
  const LinkerCommand renamed = read("ld --wrap=f --wrap g --defsym a=b+0x10-.+(c_1) --defsym=d=4");
  CHECK(renamed.wraps == Strings{"f", "g"});
  CHECK(renamed.defined == Strings{"a", "d"});
  CHECK(renamed.wanted == Strings{"b", "c_1"});
  CHECK_FALSE(renamed.renames);
  CHECK(read("ld --defsym a=DEFINED(b)?b:c").renames);
  CHECK(read("ld --defsym").defined.empty());
  CHECK(read("ld.lld --undefined-glob=f*").renames);
  CHECK(read("collect2 -fno-lto a.o").no_lto);
  CHECK(read("ld.lld --fat-lto-objects a.o").fat_bitcode);
  CHECK_FALSE(read("ld.lld --fat-lto-objects --no-fat-lto-objects a.o").fat_bitcode);
  CHECK(read("nvlink -dlto a.o").device_lto);
  CHECK(read("nvlink -lto a.o").device_lto);
  CHECK_FALSE(read("nvlink a.o").device_lto);
  CHECK_FALSE(read("ld -lto a.o").device_lto);
  CHECK(inputs("ld -lto a.o") == "-lto a.o");
}

TEST_CASE("whether a link fails over undefined symbols") {
  for (const auto& [words, undefined] : std::vector<std::pair<const char*, Undefined>>{
           {"ld -shared a.o", Undefined::by_output},
           {"ld -shared -z defs a.o", Undefined::fails},
           {"ld -shared -zdefs a.o", Undefined::fails},
           {"ld -z now --no-undefined a.o", Undefined::fails},
           {"ld --no-undefined -z undefs a.o", Undefined::passes},
           {"ld --unresolved-symbols=ignore-all a.o", Undefined::passes},
           {"ld --unresolved-symbols report-all a.o", Undefined::fails},
           {"ld --warn-unresolved-symbols a.o", Undefined::passes},
           {"ld -z lazy a.o", Undefined::by_output}}) {
    CAPTURE(words);
    CHECK(read(words).undefined == undefined);
  }
}
