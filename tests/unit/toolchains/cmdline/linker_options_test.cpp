// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/linker_options.hpp"

#include <doctest/doctest.h>

using namespace hostpin::cmdline;
using Meaning = LinkerMeaning;

TEST_CASE("an option's value is the rest of its word, what is behind its equals sign, or the next word") {
  struct Row {
    const char* word;
    Meaning meaning;
    std::optional<std::string_view> value;
  };
  const Row rows[] = {{"-L/lib", Meaning::directory, "/lib"},
                      {"-L", Meaning::directory, std::nullopt},
                      {"-L=/lib", Meaning::directory, "=/lib"},
                      {"--library-path=/lib", Meaning::directory, "/lib"},
                      {"-library-path", Meaning::directory, std::nullopt},
                      {"-lm", Meaning::library, "m"},
                      {"-l:libm.a", Meaning::library, ":libm.a"},
                      {"--library", Meaning::library, std::nullopt},
                      {"-plugin-opt=-fresolution=x", Meaning::plugin_option, "-fresolution=x"},
                      {"--plugin", Meaning::plugin, std::nullopt},
                      {"--sysroot=", Meaning::sysroot, ""},
                      {"-melf_x86_64", Meaning::emulation, "elf_x86_64"},
                      {"-zdefs", Meaning::keyword, "defs"},
                      {"--unresolved-symbols=ignore-all", Meaning::unresolved, "ignore-all"},
                      {"-rpath-link", Meaning::nothing, std::nullopt}};
  for (const Row& row : rows) {
    CAPTURE(row.word);
    const LinkerArgument read = linker_argument(row.word);
    REQUIRE(read.option != nullptr);
    CHECK(read.option->meaning == row.meaning);
    CHECK(read.value == row.value);
    CHECK(read.takes_next() == !row.value);
  }
}

TEST_CASE("what is unknown or joins a value to two dashes is no option") {
  for (const char* const word : {"--gc-sections", "--as-needed", "--Lib", "--zdefs", "-", "--"}) {
    CAPTURE(word);
    CHECK(linker_argument(word).option == nullptr);
  }
}

TEST_CASE("a switch is known by its whole name, with one dash or two") {
  struct Row {
    const char* word;
    Meaning meaning;
  };
  for (const Row& row :
       {Row{"-shared", Meaning::shared}, Row{"--Bshareable", Meaning::shared},
        Row{"-r", Meaning::relocatable}, Row{"-dlto", Meaning::device_lto}, Row{"-(", Meaning::start_group},
        Row{"-lto", Meaning::device_lto_of_nvlink}, Row{"--no-undefined", Meaning::undefined_fails}}) {
    CAPTURE(row.word);
    const LinkerArgument read = linker_argument(row.word);
    REQUIRE(read.option != nullptr);
    CHECK(read.option->meaning == row.meaning);
    CHECK_FALSE(read.takes_next());
  }
  CHECK(linker_argument("-share").option == nullptr);
  CHECK(linker_argument("---shared").option == nullptr);
}
