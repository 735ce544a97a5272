// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/dynamic_edit.hpp"
#include "toolchains/binary/elf.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;

namespace {

/// This test program is as good as any; it needs the C library, and the C++ one unless that is linked
/// statically.
Blob program() {
  const auto blob = open_blob("/proc/self/exe");
  REQUIRE(blob);
  return *blob;
}

Blob edited(const Blob& file, const DynamicEdit& edit) {
  const auto to = open_scratch("/tmp");
  REQUIRE(to);
  const auto done = write_edited(file, edit, (*to)->descriptor());
  if (!done)
    FAIL(done.error().message);
  return written_blob((*to)->descriptor()).value();
}

Image image(const Blob& file) {
  const auto read = read_image(BlobSource(file));
  REQUIRE(read);
  REQUIRE(*read);
  return **read;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool needs_version_of(const Image& file, const std::string& library) {
  return std::any_of(file.version_needs.begin(), file.version_needs.end(),
                     [&](const VersionNeed& need) { return need.library == library; });
}

} // namespace

TEST_CASE("a library is renamed in NEEDED and in version needs, and everything else stays") {
  const Image before = image(program());
  DynamicEdit edit;
  edit.renamed = {{"libc.so.6", "libc-of-a-longer-name.so.6"}, {"not needed", "x"}};
  const Image after = image(edited(program(), edit));
  CHECK(after.needed.size() == before.needed.size());
  CHECK(has(after.needed, "libc-of-a-longer-name.so.6"));
  CHECK_FALSE(has(after.needed, "libc.so.6"));
  CHECK(needs_version_of(after, "libc-of-a-longer-name.so.6"));
  CHECK_FALSE(needs_version_of(after, "libc.so.6"));
  CHECK(after.version_needs.size() == before.version_needs.size());
  CHECK(needs_version_of(after, "libstdc++.so.6") == needs_version_of(before, "libstdc++.so.6"));
  CHECK(after.interpreter == before.interpreter);
}

TEST_CASE("a run path is set, replaced by one of the other kind, and removed") {
  DynamicEdit edit;
  edit.run_path = {"$ORIGIN/../lib", false};
  const Blob once = edited(program(), edit);
  CHECK(image(once).runpath == "$ORIGIN/../lib");
  CHECK_FALSE(image(once).rpath);
  edit.run_path = {"/a:/b", true};
  const Blob twice = edited(once, edit);
  CHECK(image(twice).rpath == "/a:/b");
  CHECK_FALSE(image(twice).runpath);
  edit.run_path = {"", false};
  const Image none = image(edited(twice, edit));
  CHECK_FALSE(none.rpath);
  CHECK_FALSE(none.runpath);
  CHECK(none.needed == image(program()).needed);
}

TEST_CASE("libraries are added before those that it needs") {
  DynamicEdit edit;
  edit.needed_first = {"liba.so", "libb.so"};
  std::vector<std::string> expected = {"liba.so", "libb.so"};
  const auto needed = image(program()).needed;
  expected.insert(expected.end(), needed.begin(), needed.end());
  CHECK(image(edited(program(), edit)).needed == expected);
}

TEST_CASE("the room in a dynamic segment ends, with an error") {
  DynamicEdit edit;
  for (int i = 0; i < 100; ++i)
    edit.needed_first.push_back("lib" + std::to_string(i) + ".so");
  const auto to = open_scratch("/tmp");
  const auto done = write_edited(program(), edit, (*to)->descriptor());
  REQUIRE_FALSE(done);
  CHECK(done.error().message.find("no room") != std::string::npos);
}

TEST_CASE("what is not a linked file is refused") {
  const auto to = open_scratch("/tmp");
  DynamicEdit edit;
  edit.soname = "x";
  CHECK_FALSE(write_edited(Blob(std::string("text")), edit, (*to)->descriptor()));
}
