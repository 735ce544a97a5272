// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/loader/cache_builder.hpp"
#include "toolchains/loader/loader.hpp"

#include <map>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::loader;
using Strings = std::vector<std::string>;

namespace {

constexpr binary::ElfKind kind{true, 62};

/// A disk of images, and a program /app/bin/program to load.
struct Disk {
  std::map<std::string, binary::Image> images;
  LoaderPlaces places;
  binary::Image program;

  Disk() { program.kind = kind; }

  binary::Image& library(const std::string& path, const Strings& needed = {}) {
    binary::Image& image = images[path];
    image.kind = kind;
    image.soname = path.substr(path.rfind('/') + 1);
    image.needed = needed;
    return image;
  }

  Closure closure() const {
    return load("/app/bin/program", program, places,
                [&](const std::string& path) -> std::optional<binary::Image> {
                  const auto found = images.find(path);
                  return found == images.end() ? std::nullopt : std::optional(found->second);
                });
  }

  /// The file that serves a name, or `missing`.
  std::string found(const std::string& name) const {
    const Closure all = closure();
    const LoadedImage* const image = all.serving(name);
    return image == nullptr ? "missing" : image->path;
  }
};

} // namespace

TEST_CASE("a name is found for one file by its own run path, whatever other files have loaded") {
  Disk disk;
  const auto found_by = [&](const binary::Image& image) {
    const auto one = loader::found("b.so", "/app/lib/a.so", image, disk.places, [&](const std::string& path) {
      const auto at = disk.images.find(path);
      return at == disk.images.end() ? std::nullopt : std::optional(at->second);
    });
    return one ? one->path : "missing";
  };
  binary::Image& a = disk.library("/app/lib/a.so");
  disk.library("/app/lib/b.so");
  CHECK(found_by(a) == "missing");
  a.runpath = "$ORIGIN";
  CHECK(found_by(a) == "/app/lib/b.so");
  disk.places.library_path = {"/env"};
  disk.library("/env/b.so").kind = {true, 183};
  CHECK(found_by(a) == "/app/lib/b.so");
  disk.library("/env/b.so");
  CHECK(found_by(a) == "/env/b.so");
}

TEST_CASE("places are searched in the loader's order") {
  Disk disk;
  disk.program.needed = {"a.so"};
  disk.program.rpath = "/rpath";
  disk.places.library_path = {"/env"};
  disk.places.cache = test::cache_bytes({{"a.so", "/cached/a.so"}});
  disk.places.directories = {"/lib", "/usr/lib"};
  CHECK(disk.found("a.so") == "missing");
  disk.library("/usr/lib/a.so");
  CHECK(disk.found("a.so") == "/usr/lib/a.so");
  disk.library("/lib/a.so");
  CHECK(disk.found("a.so") == "/lib/a.so");
  disk.library("/cached/a.so");
  CHECK(disk.found("a.so") == "/cached/a.so");
  disk.library("/env/a.so");
  CHECK(disk.found("a.so") == "/env/a.so");
  disk.library("/rpath/a.so");
  CHECK(disk.found("a.so") == "/rpath/a.so");
  CHECK(disk.closure().images[1].found_by == FoundBy::rpath);

  // DT_RUNPATH comes behind the variable, and with it DT_RPATH does not count.
  disk.program.runpath = "/runpath";
  disk.library("/runpath/a.so");
  CHECK(disk.found("a.so") == "/env/a.so");
  disk.places.library_path.clear();
  CHECK(disk.found("a.so") == "/runpath/a.so");
  CHECK(disk.closure().images[1].found_by == FoundBy::runpath);
}

TEST_CASE("DT_RPATH reaches what libraries need, DT_RUNPATH does not") {
  Disk disk;
  disk.program.needed = {"a.so"};
  disk.library("/dir/a.so", {"b.so"});
  disk.library("/dir/b.so");
  disk.program.rpath = "/dir";
  CHECK(disk.found("b.so") == "/dir/b.so");
  disk.program.runpath = "/dir";
  CHECK(disk.found("a.so") == "/dir/a.so");
  CHECK(disk.found("b.so") == "missing");
  // nor does the program's DT_RPATH reach a library that has a DT_RUNPATH
  disk.program.runpath.reset();
  disk.images["/dir/a.so"].runpath = "/elsewhere";
  CHECK(disk.found("b.so") == "missing");
}

TEST_CASE("tokens stand for where the file is, for the loader's own word and for the processor") {
  Disk disk;
  disk.places.library_name = "lib/triple";
  disk.places.platform = "haswell";
  struct Row {
    const char* run_path;
    const char* path;
  };
  const Row rows[] = {{"$ORIGIN/../lib", "/app/bin/../lib/a.so"},
                      {"${ORIGIN}/x:/y", "/app/bin/x/a.so"},
                      {"/p/$LIB/", "/p/lib/triple/a.so"},
                      {"/${PLATFORM}x", "/haswellx/a.so"},
                      {"/$NAME", "/$NAME/a.so"},
                      {"/${ORIGIN", "/${ORIGIN/a.so"}};
  for (const Row& row : rows) {
    CAPTURE(row.run_path);
    Disk one = disk;
    one.program.needed = {"a.so"};
    one.program.runpath = row.run_path;
    one.library(row.path);
    CHECK(one.found("a.so") == row.path);
  }
}

TEST_CASE("a run path without a letter in it is none, an empty entry of another is the current directory") {
  Disk disk;
  disk.program.needed = {"a.so"};
  disk.program.runpath = "";
  disk.library("./a.so");
  disk.library("/lib/a.so");
  disk.places.directories = {"/lib"};
  CHECK(disk.found("a.so") == "/lib/a.so");
  disk.program.runpath = "/nowhere:";
  CHECK(disk.found("a.so") == "./a.so");
}

TEST_CASE("of a directory, what is for this processor comes first, the best before others") {
  Disk disk;
  disk.program.needed = {"a.so"};
  disk.places.capabilities = {"x86-64-v3", "x86-64-v2"};
  disk.places.directories = {"/lib", "/usr/lib"};
  disk.library("/usr/lib/glibc-hwcaps/x86-64-v3/a.so");
  disk.library("/lib/a.so");
  disk.library("/lib/glibc-hwcaps/x86-64-v4/a.so");
  CHECK(disk.found("a.so") == "/lib/a.so");
  disk.library("/lib/glibc-hwcaps/x86-64-v2/a.so");
  CHECK(disk.found("a.so") == "/lib/glibc-hwcaps/x86-64-v2/a.so");
  disk.library("/lib/glibc-hwcaps/x86-64-v3/a.so");
  CHECK(disk.found("a.so") == "/lib/glibc-hwcaps/x86-64-v3/a.so");
}

TEST_CASE("files of another machine or class are passed over") {
  Disk disk;
  disk.program.needed = {"a.so"};
  disk.places.directories = {"/one", "/two", "/three"};
  disk.library("/one/a.so").kind = {false, 3};
  disk.library("/two/a.so").kind = {true, 183};
  disk.library("/three/a.so");
  CHECK(disk.found("a.so") == "/three/a.so");
}

TEST_CASE("a file that forbids the defaults is obeyed") {
  Disk disk;
  disk.program.needed = {"a.so"};
  disk.program.no_default_libraries = true;
  disk.places.directories = {"/lib"};
  disk.places.cache = test::cache_bytes({{"a.so", "/lib/a.so"}});
  disk.library("/lib/a.so");
  CHECK(disk.found("a.so") == "missing");
}

TEST_CASE("libraries are loaded breadth first, and once") {
  Disk disk;
  disk.program.needed = {"a.so", "b.so"};
  disk.program.runpath = "/app";
  disk.places.directories = {"/lib"};
  disk.library("/app/a.so", {"c.so"}).runpath = "/wrong";
  disk.library("/app/b.so", {"a.so"});
  disk.library("/app/c.so");
  disk.library("/wrong/c.so");
  disk.program.needed = {"a.so", "b.so", "c.so"};
  const Closure closure = disk.closure();
  REQUIRE(closure.images.size() == 4);
  CHECK(closure.images[3].path == "/app/c.so"); // the program asked before a.so's run path was looked at
  CHECK(closure.missing.empty());
}

TEST_CASE("libraries that need each other, and themselves, come to an end") {
  Disk disk;
  disk.program.needed = {"a.so"};
  disk.places.directories = {"/lib"};
  disk.library("/lib/a.so", {"b.so", "a.so", "gone.so"});
  disk.library("/lib/b.so", {"a.so", "gone.so"});
  const Closure closure = disk.closure();
  CHECK(closure.images.size() == 3);
  REQUIRE(closure.missing.size() == 1);
  CHECK(closure.missing[0].name == "gone.so");
  CHECK(closure.images[closure.missing[0].needed_by].path == "/lib/a.so");
}

TEST_CASE("a need is held against the file that would be loaded for it") {
  Disk disk;
  disk.program.needed = {"a.so", "b.so", "gone.so"};
  disk.program.version_needs = {{"a.so", {"A_1", "A_2"}}, {"gone.so", {"G_1"}}};
  disk.places.directories = {"/lib"};
  disk.library("/lib/a.so").version_definitions = {"A_1"};
  disk.library("/lib/b.so", {"a.so", "plain.so"}).version_needs = {{"a.so", {"A_3"}}, {"plain.so", {"P_1"}}};
  disk.library("/lib/plain.so"); // defines no versions at all: the loader warns and takes it
  const std::vector<UnmetNeed> unmet = unmet_needs(disk.closure());
  CHECK(unmet == std::vector<UnmetNeed>{{0, 1, "a.so", "A_2"}, {2, 1, "a.so", "A_3"}});
}
