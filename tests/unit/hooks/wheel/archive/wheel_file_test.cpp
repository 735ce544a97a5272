// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/wheel_file.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::wheel;

namespace {

constexpr const char* path = "dir/pkg-1.0-py3-none-any.whl";

test::Packed members(const test::Packed& more = {}) {
  test::Packed all = {
      {"pkg-1.0.dist-info/METADATA",
       "Name: pkg\nVersion: 1.0\nRequires-Dist: b\nRequires-Dist: c; sys_platform == 'win32'\n"},
      {"pkg-1.0.dist-info/WHEEL", "Root-Is-Purelib: true\nTag: py3-none-any\n"},
      {"pkg-1.0.dist-info/RECORD", "pkg/a.py,,\n"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Result<WheelFile> read(const test::Packed& all, const WheelLimits& limits = {}) {
  return read_wheel(binary::Blob(test::packed("zip", "none", all)), path, {2, Depth::all, true}, limits);
}

std::string error(const test::Packed& all, const WheelLimits& limits = {}) {
  const auto wheel = read(all, limits);
  return wheel ? std::string("none") : wheel.error().message;
}

} // namespace

TEST_CASE("a wheel is its name, metadata, RECORD and members with hashes") {
  const auto wheel = read(members({{"pkg/a.py", ""}}));
  REQUIRE(wheel);
  CHECK(wheel->distribution() == "pkg");
  CHECK(wheel->info == "pkg-1.0.dist-info");
  CHECK(wheel->is_purelib());
  REQUIRE(wheel->requirements.size() == 1);
  CHECK(wheel->requirements[0].name == "b");
  REQUIRE(wheel->record);
  CHECK(wheel->record->size() == 1);
  REQUIRE(wheel->member("pkg/a.py") != nullptr);
  CHECK(wheel->member("pkg/a.py")->hash == "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  CHECK_FALSE(wheel->member("pkg/a.py")->elf);
}

TEST_CASE("hostile zips are refused with the member and the reason") {
  CHECK(error(members({{"a", "1"}, {"a", "2"}})).find("two members of the name a") != std::string::npos);
  CHECK(error(members({{"a", "1"}, {"a/b", "2"}})).find("a is a file and a directory") != std::string::npos);
  CHECK(error(members({{"../a", "1"}})).find("../a is not below") != std::string::npos);
  WheelLimits limits;
  limits.small = 1000;
  limits.ratio = 10;
  CHECK(
      error(members({{"zeros", std::string(100000, '\0')}}), limits).find("expands to more than 10 times") !=
      std::string::npos);
  limits = {};
  limits.members = 3;
  CHECK(error(members({{"a", "1"}}), limits).find("more than 3 members") != std::string::npos);
  std::string zip = test::packed("stored zip", "none", members({{"a", "0123456789"}}));
  zip.replace(zip.find("0123456789"), 1, "9");
  const auto changed = read_wheel(binary::Blob(zip), path, {2, Depth::all, true});
  REQUIRE_FALSE(changed);
  CHECK(changed.error().message.find("its member a: ") != std::string::npos);
}

TEST_CASE("a central directory with fewer members than it says is refused") {
  std::string zip = test::packed("zip", "none", members());
  const std::size_t end = zip.rfind("PK\5\6");
  zip[end + 10] = 4;
  const auto wheel = read_wheel(binary::Blob(zip), path, {1, Depth::all, true});
  REQUIRE_FALSE(wheel);
  CHECK(wheel.error().message.find("cannot be installed") != std::string::npos);
}

TEST_CASE("a wheel without metadata, or with two, is refused") {
  CHECK(error({{"pkg/a.py", ""}}).find("no .dist-info directory") != std::string::npos);
  CHECK(error(members({{"x-1.dist-info/METADATA", ""}})).find("two .dist-info directories") !=
        std::string::npos);
}

TEST_CASE("two members that are installed as the same file are refused, with both names") {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [one, other] : Pairs{{"pkg/x.so", "pkg-1.0.data/purelib/pkg/x.so"},
                                        {"pkg-1.0.data/platlib/y.so", "pkg-1.0.data/purelib/y.so"},
                                        {"pkg-1.0.data/scripts/tool", "pkg-1.0.data/data/bin/tool"}}) {
    CAPTURE(other);
    const std::string text = error(members({{one, "1"}, {other, "2"}}));
    CHECK(text.find(one + " and " + other + " are installed as the same file") != std::string::npos);
  }
  CHECK(read(members({{"pkg/x.so", "1"}, {"pkg-1.0.data/data/pkg/x.so", "2"}})));
}

TEST_CASE("a damaged ELF file is reported and the rest is read") {
  const auto wheel = read(members({{"pkg/x.so", std::string("\x7f"
                                                            "ELF\2\1\1",
                                                            7)},
                                   {"pkg/y.py", "y"}}));
  REQUIRE(wheel);
  CHECK_FALSE(wheel->member("pkg/x.so")->trouble.empty());
  CHECK(wheel->member("pkg/y.py")->trouble.empty());
}

TEST_CASE("a damaged RECORD does not hide the wheel") {
  test::Packed all = members();
  all[2].second = "a,b\n";
  const auto wheel = read(all);
  REQUIRE(wheel);
  CHECK_FALSE(wheel->record);
  CHECK(wheel->record_error.find("line 1") != std::string::npos);
}
