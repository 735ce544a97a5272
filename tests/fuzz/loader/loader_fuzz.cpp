// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loader's cache, images, objects and archives: everything that a proof after a link reads.
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "tests/unit/toolchains/loader/cache_builder.hpp"
#include "tests/unit/toolchains/loader/object_builder.hpp"
#include "toolchains/loader/cache.hpp"
#include "toolchains/loader/loader.hpp"
#include "toolchains/loader/symbols.hpp"

#include <cstdlib>

using namespace hostpin;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

} // namespace

std::vector<std::string> seeds() {
  const std::vector<test::CacheEntry> entries = {{"liba.so", "/lib/liba.so"},
                                                 {"liba.so", "/lib32/liba.so", 8}};
  return {
      test::ElfBuilder(true, true).build("liba.so", {"V_1"}, {{"libb.so", {"V_2"}}, {"$ORIGIN/c.so", {}}}),
      test::cache_bytes(entries),
      test::two_part_cache(entries),
      test::object({{"wanted", 0}, {"own", 1}}),
      test::wanting("libb.so", {{"wanted", "V_2"}}),
      "!<arch>\n" + test::member("//", "a_rather_long_name.o/\n") +
          test::member("/0", test::object({{"wanted", 0}})),
      "!<thin>\n" + test::member("absent.o/", "")};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string_view path : loader::cached_libraries(bytes, "liba.so"))
    require(path.data() >= bytes.data() && path.data() + path.size() < bytes.data() + bytes.size());
  const auto listed = loader::cache_entries(bytes);
  for (const loader::CacheEntry& entry : listed.value_or(std::vector<loader::CacheEntry>()))
    require(!entry.name.empty() && !entry.path.empty() && entry.path.data() >= bytes.data() &&
            entry.path.data() + entry.path.size() < bytes.data() + bytes.size());
  require(loader::symbols_wanting(bytes, "libb.so", "V_2").size() <= 10000);
  const std::string where = loader::reference("/nowhere/x", bytes, "wanted");
  require(where.empty() || where.starts_with("/nowhere/x"));

  const auto image = binary::read_image(bytes);
  if (!image || !*image)
    return 0;
  loader::LoaderPlaces places;
  places.cache = bytes;
  places.directories = {"/lib"};
  int reads = 0; // every name leads to the same file, so it would be loaded again under each
  const loader::Closure closure =
      loader::load("/nowhere/x", **image, places, [&](const std::string&) -> std::optional<binary::Image> {
        return ++reads < 50 ? *image : std::nullopt;
      });
  for (const loader::UnmetNeed& unmet : loader::unmet_needs(closure))
    require(unmet.image < closure.images.size() && unmet.library < closure.images.size());
  return 0;
}
