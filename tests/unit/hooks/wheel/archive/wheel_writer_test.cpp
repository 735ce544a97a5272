// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/wheel_writer.hpp"
#include "tests/unit/hooks/wheel/archive/written.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::wheel;

namespace {

constexpr const char* name = "p-1-py3-none-any.whl";

const test::Packed small_wheel = {{"p/z.py", "z = 1\n"},
                                  {"p-1.dist-info/METADATA", "Name: p\nVersion: 1\n"},
                                  {"p-1.dist-info/WHEEL", "Tag: py3-none-any\n"},
                                  {"p-1.dist-info/RECORD", "p/z.py,,\n"},
                                  {"p-1.dist-info/RECORD.jws", "{}"},
                                  {"p/a, b.py", "text"},
                                  {"q/", ""}};

Result<WheelFile> wheel_of(const std::string& zip) {
  return read_wheel(binary::Blob(zip), name, {1, Depth::all, true});
}

std::string rewritten(const std::string& zip, const WheelWriting& how = {}) {
  const auto wheel = wheel_of(zip);
  REQUIRE(wheel);
  auto files = files_of(binary::Blob(zip), *wheel);
  REQUIRE(files);
  return test::written(
      [&](int descriptor) { REQUIRE(write_wheel(*std::move(files), wheel->info, how, descriptor)); });
}

std::vector<std::string> names_in(const std::string& zip) {
  std::vector<std::string> names;
  const auto directory = central_directory(binary::Blob(zip));
  REQUIRE(directory);
  for (const DirectoryEntry& entry : *directory)
    names.push_back(entry.name);
  return names;
}

} // namespace

TEST_CASE("a wheel is written in the order of names, its metadata last, with a RECORD of all files") {
  const std::string zip = rewritten(test::packed("zip", "none", small_wheel));
  CHECK(names_in(zip) == std::vector<std::string>{"p/a, b.py", "p/z.py", "p-1.dist-info/METADATA",
                                                  "p-1.dist-info/WHEEL", "p-1.dist-info/RECORD"});
  const auto wheel = wheel_of(zip);
  REQUIRE(wheel);
  REQUIRE(wheel->record);
  REQUIRE(wheel->record->size() == 5);
  CHECK(wheel->record->front().path == "p/a, b.py");
  for (const RecordRow& row : *wheel->record) {
    const Member* const member = wheel->member(row.path);
    REQUIRE(member != nullptr);
    if (row.path != "p-1.dist-info/RECORD")
      CHECK(row.hash == member->hash);
  }
}

TEST_CASE("writing a wheel again gives the same bytes, whatever order its members had") {
  const std::string once = rewritten(test::packed("zip", "none", small_wheel));
  CHECK(rewritten(once) == once);
  const test::Packed reversed(small_wheel.rbegin(), small_wheel.rend());
  CHECK(rewritten(test::packed("zip", "none", reversed)) == once);
}

TEST_CASE("with a level, every file is compressed again, so that the old compression does not matter") {
  WheelWriting how;
  how.level = 9;
  const std::string one = rewritten(test::packed("zip", "none", small_wheel), how);
  CHECK(rewritten(test::packed("stored zip", "none", small_wheel), how) == one);
  CHECK(rewritten(one, how) == one);
}

TEST_CASE("a file with new content is compressed, and its row of RECORD is new") {
  const std::string zip = test::packed("zip", "none", small_wheel);
  const auto wheel = wheel_of(zip);
  auto files = files_of(binary::Blob(zip), *wheel);
  REQUIRE(files);
  files->front().set(binary::Blob(std::string("z = 2, now\n")));
  const std::string bytes =
      test::written([&](int descriptor) { REQUIRE(write_wheel(*files, wheel->info, {}, descriptor)); });
  const auto changed = wheel_of(bytes);
  REQUIRE(changed);
  const Member* const member = changed->member("p/z.py");
  REQUIRE(member != nullptr);
  CHECK(member->entry.size == 11);
  CHECK((*changed->record)[1].hash == member->hash);
}

TEST_CASE("a name that is not in UTF-8 is refused") {
  const std::string zip =
      test::packed("zip", "none", {{"p/\xe9.py", ""}, small_wheel[1], small_wheel[2], small_wheel[3]});
  const auto wheel = wheel_of(zip);
  REQUIRE(wheel);
  CHECK_FALSE(files_of(binary::Blob(zip), *wheel));
}
