// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/options.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using Strings = std::vector<std::string>;

namespace {

Result<CheckOptions> read(const std::vector<const char*>& words) {
  return check_options(words);
}

} // namespace

TEST_CASE("inputs with a linker, in both spellings") {
  const auto options =
      read({"--json", "--linker", "g++-13 -flto '-B/a b'", "--nvlink=/c/nvlink", "a.o", "-"});
  REQUIRE(options);
  CHECK(options->json);
  CHECK(options->linker == Strings{"g++-13", "-flto", "-B/a b"});
  CHECK(options->nvlink == "/c/nvlink");
  CHECK(options->inputs == Strings{"a.o", "-"});
  CHECK(read({"--linker=ld.lld", "a.o"})->linker == Strings{"ld.lld"});
}

TEST_CASE("all behind -- is the command, whatever it looks like") {
  const auto options = read({"--json", "--", "g++", "--json", "--", "a.o"});
  REQUIRE(options);
  CHECK(options->command == Strings{"g++", "--json", "--", "a.o"});
  CHECK(options->inputs.empty());
}

TEST_CASE("misuse is refused with a hint") {
  const std::vector<std::vector<const char*>> misuses{{},
                                                      {"--json"},
                                                      {"--"},
                                                      {"--linker"},
                                                      {"--linker", "", "a.o"},
                                                      {"--linker", "'open", "a.o"},
                                                      {"--nvlink"},
                                                      {"--nvlink=", "a.o"},
                                                      {"--linkers", "a.o"},
                                                      {"-x", "a.o"},
                                                      {"a.o", "--", "g++"},
                                                      {"--linker=ld", "--", "g++"}};
  for (const auto& words : misuses) {
    const auto options = read(words);
    CAPTURE(words.size());
    REQUIRE_FALSE(options);
    CHECK_FALSE(options.error().message.empty());
  }
  CHECK(read({"--help"})->help.starts_with("usage: hostpin lto-check [--json]"));
}
