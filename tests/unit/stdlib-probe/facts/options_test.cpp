// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/options.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;
using Strings = std::vector<std::string>;

namespace {

Result<FactsOptions> read(const std::vector<const char*>& words) {
  return facts_options(words);
}

} // namespace

TEST_CASE("what follows the driver belongs to it, except --json") {
  const auto options = read({"--json", "g++", "--sysroot", "/x", "--all", "-"});
  REQUIRE(options);
  CHECK(options->json);
  CHECK(options->driver == "g++");
  CHECK(options->sysroot.empty());
  CHECK_FALSE(options->all);
  CHECK(options->flags == Strings{"--sysroot", "/x", "--all", "-"});
  const auto behind = read({"g++", "-m32", "--json"});
  REQUIRE(behind);
  CHECK(behind->json);
  CHECK(behind->flags == Strings{"-m32"});
}

TEST_CASE("headers are named by --sysroot and --headers, with flags after two dashes") {
  const auto sysroot = read({"--sysroot=/r", "--target", "aarch64-linux-gnu", "--gcc", "13", "--", "-DX"});
  REQUIRE(sysroot);
  CHECK(sysroot->sysroot == "/r");
  CHECK(sysroot->target == "aarch64-linux-gnu");
  CHECK(sysroot->gcc == "13");
  CHECK(sysroot->flags == Strings{"-DX"});
  const auto headers = read({"--headers", "/a", "/b", "--json"});
  REQUIRE(headers);
  CHECK(headers->headers == Strings{"/a", "/b"});
  CHECK(headers->json);
}

TEST_CASE("a call that makes no sense is refused with the reason") {
  struct Row {
    std::vector<const char*> words;
    const char* message;
  };
  const Row rows[] = {
      {{}, "facts needs a compiler, --all, --sysroot or --headers"},
      {{"--json"}, "facts needs a compiler, --all, --sysroot or --headers"},
      {{"--"}, "facts needs a compiler, --all, --sysroot or --headers"},
      {{"--all", "g++"}, "facts needs only one of: a compiler, --all, headers"},
      {{"--all", "--sysroot", "/r"}, "facts needs only one of: a compiler, --all, headers"},
      {{"--sysroot"}, "--sysroot needs a value"},
      {{"--sysroot="}, "--sysroot needs a value"},
      {{"--headers"}, "--headers needs a value"},
      {{"--headers", "/a", ""}, "--headers needs a value"},
      {{"--headers", "--json"}, "--headers needs a value"},
      {{"--target", "x", "g++"}, "--target and --gcc need --sysroot or --headers"},
      {{"--all", "--", "-m32"}, "--all does not accept flags"},
      {{"--sysroots", "/r"}, "facts has no option --sysroots"},
      {{"-m32", "g++"}, "facts has no option -m32"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    const auto options = read(row.words);
    REQUIRE_FALSE(options);
    CHECK(options.error().message == row.message);
    CHECK_FALSE(options.error().hint.empty());
  }
  CHECK(read({"--help"})->help.starts_with("usage: hostpin stdlib-probe facts "));
}
