// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/loader/cache_builder.hpp"
#include "toolchains/loader/cache.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::loader;
using Paths = std::vector<std::string_view>;

namespace {

const std::vector<test::CacheEntry> entries = {{"libm.so.6", "/lib/haswell/libm.so.6", 8},
                                               {"libm.so.6", "/lib/libm.so.6"},
                                               {"libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"},
                                               {"libc.so.6", "/lib32/libc.so.6"}};

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

TEST_CASE("every name is found among others, in the order in which ldconfig sorts them") {
  // As `ldconfig -p` lists them, where numbers count as numbers.
  const std::vector<std::string> names = {"lib2geom.so",  "lib1x.so.1",     "libz.so.10",  "libz.so.9",
                                          "libz.so.1.12", "libz.so.1.2",    "libz.so.1",   "libz.so",
                                          "libz-ng.so.2", "libstdc++.so.6", "libX11.so.6", "libX-y.so",
                                          "ld-linux.so",  "a.so.00000001",  "a.so",        "X.so"};
  for (std::size_t count = 0; count <= names.size(); ++count) {
    std::vector<test::CacheEntry> some;
    for (std::size_t i = 0; i < count; ++i)
      some.push_back({names[i], "/lib/" + names[i]});
    const std::string cache = test::cache_bytes(some);
    for (std::size_t i = 0; i < names.size(); ++i) {
      CAPTURE(names[i]);
      const std::string path = "/lib/" + names[i];
      CHECK(cached_libraries(cache, names[i]) == (i < count ? Paths{path} : Paths{}));
    }
    CHECK(cached_libraries(cache, "libz.so.11").empty());
    CHECK(cached_libraries(cache, "libz.so.1.").empty());
    CHECK(cached_libraries(cache, "A.so").empty());
  }
}

TEST_CASE("the newer part behind an older one is read") {
  CHECK(cached_libraries(test::two_part_cache(entries), "libm.so.6") == Paths{"/lib/libm.so.6"});
}

TEST_CASE("a cache is read whole, or not at all") {
  const std::string cache = test::cache_bytes(entries);
  const auto all = cache_entries(cache);
  REQUIRE(all);
  REQUIRE(all->size() == entries.size());
  CHECK(all->front() == CacheEntry{"libm.so.6", "/lib/haswell/libm.so.6", "", 0x0303, 0, 8});
  CHECK(all->back() == CacheEntry{"libc.so.6", "/lib32/libc.so.6", "", 0x0303, 0, 0});
  CHECK(cache_entries(test::two_part_cache(entries)) == all);
  CHECK(cache_entries(test::cache_bytes({})) == std::vector<CacheEntry>());
  for (std::size_t size = 0; size < cache.size(); ++size)
    CHECK_FALSE(cache_entries(std::string_view(cache).substr(0, size)));
  std::string changed = cache;
  changed.replace(20, 4, "\xff\xff\xff\xff");
  CHECK_FALSE(cache_entries(changed));
  changed = cache;
  changed[28] = '\1'; // no byte order
  CHECK_FALSE(cache_entries(changed));
  CHECK_FALSE(cache_entries(test::cache_bytes({entries.back(), entries.front()}))); // not sorted
  CHECK_FALSE(cache_entries(test::cache_bytes({{"libm.so.6", ""}})));
  constexpr std::uint64_t in_subdirectory = std::uint64_t{1} << 62U; // without a table of those
  CHECK_FALSE(cache_entries(test::cache_bytes({{"libm.so.6", "/lib/libm.so.6", in_subdirectory}})));
}

TEST_CASE("a cache that is cut short or no cache gives what is whole, and nothing else") {
  const std::string cache = test::cache_bytes(entries);
  for (std::size_t size = 0; size < cache.size(); ++size) {
    const Paths found = cached_libraries(std::string_view(cache).substr(0, size), "libc.so.6");
    CHECK((found.empty() || found == Paths{"/lib/x86_64-linux-gnu/libc.so.6"}));
  }
  std::string endless = cache;
  endless.replace(20, 4, "\xff\xff\xff\xff");
  CHECK(cached_libraries(endless, "libm.so.6").size() == 1);
  CHECK(cached_libraries("", "libm.so.6").empty());
  CHECK(cached_libraries("ld.so-1.7.0", "libm.so.6").empty());
}
