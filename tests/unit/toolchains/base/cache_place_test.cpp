// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/cache_place.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("the cache is only ever an absolute directory") {
  CHECK(cache_directory(CachePlace{"/c", "/x", "/h"}) == "/c");
  CHECK(cache_directory(CachePlace{{}, "/x", "/h"}) == "/x/hostpin");
  CHECK(cache_directory(CachePlace{{}, {}, "/h"}) == "/h/.cache/hostpin");
  CHECK(cache_directory(CachePlace{{}, "relative", "/h"}) == "/h/.cache/hostpin");
  CHECK_FALSE(cache_directory(CachePlace{"relative", "/x", "/h"}).has_value());
  CHECK_FALSE(cache_directory(CachePlace{{}, {}, {}}).has_value());
  CHECK_FALSE(cache_directory(CachePlace{{}, {}, "home"}).has_value());
}
