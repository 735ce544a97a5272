// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/loader/cache_builder.hpp"
#include "toolchains/loader/cache.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Paths = std::vector<std::string_view>;

namespace {

const std::vector<test::CacheEntry> entries = {{"libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"},
                                               {"libc.so.6", "/lib32/libc.so.6"},
                                               {"libm.so.6", "/lib/haswell/libm.so.6", 8},
                                               {"libm.so.6", "/lib/libm.so.6"}};

} // namespace

TEST_CASE("all entries of a name are found in their order") {
  const std::string cache = test::cache_bytes(entries);
  CHECK(cached_libraries(cache, "libc.so.6") == Paths{"/lib/x86_64-linux-gnu/libc.so.6", "/lib32/libc.so.6"});
  CHECK(cached_libraries(cache, "libc.so").empty());
  CHECK(cached_libraries(cache, "").empty());
}

TEST_CASE("entries for processors with extensions are left out") {
  CHECK(cached_libraries(test::cache_bytes(entries), "libm.so.6") == Paths{"/lib/libm.so.6"});
}

TEST_CASE("the newer part behind an older one is read") {
  CHECK(cached_libraries(test::two_part_cache(entries), "libm.so.6") == Paths{"/lib/libm.so.6"});
}

TEST_CASE("a cache that is cut short or no cache gives what is whole, and nothing else") {
  const std::string cache = test::cache_bytes(entries);
  for (std::size_t size = 0; size < cache.size(); ++size)
    CHECK(cached_libraries(std::string_view(cache).substr(0, size), "libm.so.6").empty());
  std::string endless = cache;
  endless.replace(20, 4, "\xff\xff\xff\xff");
  CHECK(cached_libraries(endless, "libm.so.6").size() == 1);
  CHECK(cached_libraries("", "libm.so.6").empty());
  CHECK(cached_libraries("ld.so-1.7.0", "libm.so.6").empty());
}
