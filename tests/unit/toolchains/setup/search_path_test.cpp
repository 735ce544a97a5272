// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/environment.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/setup/search_path.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

binary::Image image(const std::string& file) {
  const auto blob = binary::open_blob(file);
  REQUIRE(blob);
  const auto read = binary::read_image(binary::BlobSource(*blob));
  REQUIRE(read);
  REQUIRE(*read);
  return **read;
}

} // namespace

TEST_CASE("a program gets a loader and a search path, any number of times, and nothing else") {
  const auto scratch = ScratchDirectory::make(Environment());
  REQUIRE(scratch);
  const std::string file = scratch->path() + "/program";
  std::filesystem::copy_file("/proc/self/exe", file);
  const binary::Image before = image(file);
  const auto mode = std::filesystem::status(file).permissions();
  for (const std::string path : {"/a b/lib:/c/lib", "/d"}) {
    REQUIRE(set_search_path(file, path, "/a loader/" + path));
    const binary::Image after = image(file);
    CHECK(after.rpath == path);
    CHECK_FALSE(after.runpath);
    CHECK(after.interpreter == "/a loader/" + path);
    CHECK(after.needed == before.needed);
    CHECK(after.version_needs.size() == before.version_needs.size());
  }
  REQUIRE(set_search_path(file, "/e", {}));
  CHECK(image(file).interpreter == "/a loader//d");
  CHECK(std::filesystem::status(file).permissions() == mode);
  CHECK(std::distance(std::filesystem::directory_iterator(scratch->path()), {}) == 1);
}

TEST_CASE("what is no program stays as it is, with an error that names it") {
  const auto scratch = ScratchDirectory::make(Environment());
  REQUIRE(scratch);
  const std::string file = scratch->path() + "/text";
  REQUIRE(replace_file(file, "no program", false));
  const auto done = set_search_path(file, "/lib", {});
  REQUIRE_FALSE(done);
  CHECK(done.error().message == "cannot relocate " + file + ": it is not a 64-bit little-endian ELF file");
  CHECK(std::distance(std::filesystem::directory_iterator(scratch->path()), {}) == 1);
  CHECK_FALSE(set_search_path(scratch->path() + "/none", "/lib", {}));
}
