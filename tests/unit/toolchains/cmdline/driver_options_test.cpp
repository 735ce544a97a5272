// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/driver_options.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin::cmdline;

namespace {

std::string_view found(std::string_view argument) {
  const DriverOption* const option = find_driver_option(argument);
  return option == nullptr ? "nothing" : option->spelling;
}

} // namespace

TEST_CASE("the longest spelling that can carry the argument wins") {
  struct Row {
    const char* argument;
    const char* spelling;
  };
  const Row rows[] = {
      {"-c", "-c"},
      {"-cc1", "-cc1"},
      {"-ccbin", "nothing"},
      {"-coverage", "-coverage"},
      {"-o", "-o"},
      {"-oa.out", "-o"},
      {"-Iinclude", "-I"},
      {"-include", "-include"},
      {"-include-pch", "-include-pch"},
      {"-include-something", "-include"},
      {"-isystem-after", "-isystem-after"},
      {"-isystem/usr/include", "-isystem"},
      {"-MD", "-MD"},
      {"-MFfile.d", "-MF"},
      {"-M", "-M"},
      {"-MMD", "-MMD"},
      {"-Wl,-rpath,/x", "-Wl,"},
      {"-Wl", "nothing"},
      {"-Wall", "nothing"},
      {"-fsanitize=address", "-fsanitize="},
      {"-fsanitize-trap=all", "nothing"},
      {"-fopenmp-simd", "nothing"},
      {"-fopenmp=libomp", "-fopenmp="},
      {"-flto-partition=none", "-flto-"},
      {"-flto=auto", "-flto="},
      {"-undef", "-undef"},
      {"-umain", "-u"},
      {"-Xarch_x86_64", "-Xarch_"},
      {"-Xarch_host", "-Xarch_host"},
      {"--param=x=1", "nothing"},
      {"-print-file-name=libstdc++.so", "-print-file-name="},
      {"-printer", "nothing"},
      {"", "nothing"},
      {"\xff", "nothing"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.argument);
    CHECK(found(row.argument) == row.spelling);
  }
}

TEST_CASE("every row finds itself, and a joined row finds itself with any value") {
  for (const DriverOption& option : driver_options()) {
    CAPTURE(std::string(option.spelling));
    CHECK(find_driver_option(option.spelling) == &option);
    if (option.value == DriverValue::joined)
      CHECK(find_driver_option(std::string(option.spelling) + "\x7f") == &option);
  }
}
