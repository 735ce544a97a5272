// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/base/cache_place.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("the cache is only ever an absolute directory") {
  const hostpin::test::Tree tree;
  tree.write("h/file", "");
  const std::string home = tree.path("h"), missing = tree.path("h/missing"),
                    below_file = tree.path("h/file/h");
  CHECK(cache_directory(CachePlace{"/c", "/x", home}) == "/c");
  CHECK(cache_directory(CachePlace{{}, "/x", missing}) == "/x/hostpin");
  CHECK(cache_directory(CachePlace{{}, {}, home}) == home + "/.cache/hostpin");
  CHECK(cache_directory(CachePlace{{}, "relative", home}) == home + "/.cache/hostpin");
  CHECK_FALSE(cache_directory(CachePlace{{}, {}, missing}).has_value());
  CHECK_FALSE(cache_directory(CachePlace{{}, {}, below_file}).has_value());
  CHECK_FALSE(cache_directory(CachePlace{"relative", "/x", home}).has_value());
  CHECK_FALSE(cache_directory(CachePlace{{}, {}, {}}).has_value());
  CHECK_FALSE(cache_directory(CachePlace{{}, {}, "home"}).has_value());
}
