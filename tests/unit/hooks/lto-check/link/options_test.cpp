// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/options.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Meaning = LinkerOption::Meaning;

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
                      {"-rpath", Meaning::value, std::nullopt}};
  for (const Row& row : rows) {
    CAPTURE(row.word);
    const auto option = linker_option(row.word);
    REQUIRE(option);
    CHECK(option->meaning == row.meaning);
    CHECK(option->value == row.value);
  }
}

TEST_CASE("what has no value, is unknown or joins a value to two dashes is no option with one") {
  for (const char* const word : {"--gc-sections", "--as-needed", "--Lib", "--shared", "--zdefs", "-", "--"}) {
    CAPTURE(word);
    CHECK(!linker_option(word));
  }
}

TEST_CASE("one dash or two are left out of a name") {
  CHECK(option_name("-shared") == "shared");
  CHECK(option_name("--shared") == "shared");
  CHECK(option_name("---x") == "-x");
  CHECK(option_name("-") == "");
}

TEST_CASE("a switch tells what it sets") {
  CHECK(linker_switch("shared") == &LinkWords::shared);
  CHECK(linker_switch("Bshareable") == &LinkWords::shared);
  CHECK(linker_switch("r") == &LinkWords::relocatable);
  CHECK(linker_switch("dlto") == &LinkWords::device_lto);
  CHECK(linker_switch("share") == nullptr);
}

TEST_CASE("symbols that nothing defines are decided by an option, a keyword or a method") {
  CHECK(undefined_by_option("no-undefined") == Undefined::fails);
  CHECK(undefined_by_option("error-unresolved-symbols") == Undefined::by_output);
  CHECK(undefined_by_option("defs") == std::nullopt);
  CHECK(undefined_by_keyword("defs") == Undefined::fails);
  CHECK(undefined_by_keyword("undefs") == Undefined::passes);
  CHECK(undefined_by_keyword("now") == std::nullopt);
  CHECK(undefined_by_method("ignore-in-shared-libs") == Undefined::fails);
  CHECK(undefined_by_method("ignore-all") == Undefined::passes);
  CHECK(undefined_by_method("no-undefined") == std::nullopt);
}
