// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/link_options.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("the next word may be an option's value where a table says so, or where none knows the option") {
  for (const char* const option : {"-L", "-rpath", "-framework", "debug", "-Xlinker", "-Xclang", "-march",
                                   "--sysroot", "--unheard-of"}) {
    CAPTURE(option);
    CHECK(may_take_next(option));
  }
  for (const char* const option : {"", "-lstdc++", "-L/lib", "-m64", "-mt", "-march=native", "--as-needed",
                                   "--sysroot=/", "-Wl,-rpath", "-unheard-of", "/lib/libx.so"}) {
    CAPTURE(option);
    CHECK(!may_take_next(option));
  }
}

TEST_CASE("options that name headers are known by their beginning, those of run paths in full") {
  for (const char* const word : {"-I", "-I/include", "-isystem", "-isystem/include", "--sysroot=/", "-B/bin"})
    CHECK(is_header_option(word));
  for (const char* const word : {"", "-L/lib", "/include", "-i"})
    CHECK(!is_header_option(word));
  for (const char* const word : {"-rpath", "--rpath", "-rpath-link", "--rpath-link", "-R"})
    CHECK(is_run_path_option(word));
  for (const char* const word : {"", "-rpath=/lib", "-R/lib", "-L", "rpath"})
    CHECK(!is_run_path_option(word));
}

TEST_CASE("words for the linker stand behind a prefix, with commas between them") {
  struct Row {
    const char* word;
    const char* prefix;
    const char* last;
  };
  const Row rows[] = {{"-Wl,-rpath,/lib", "-Wl,", "/lib"},
                      {"LINKER:-rpath", "LINKER:", "-rpath"},
                      {"-Wl,", "-Wl,", ""},
                      {"-Wl,-z,", "-Wl,", ""},
                      {"-L/lib", "", "-L/lib"},
                      {"", "", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.word);
    CHECK(linker_prefix(row.word) == row.prefix);
    CHECK(last_linker_word(row.word) == row.last);
  }
}
