// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/redist/tree/origin.hpp"
#include "toolchains/toolkit/composed.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

Origin some_origin() {
  Origin origin;
  origin.lock = "redist.lock";
  origin.lock_sha256 = std::string(64, 'a');
  origin.host = "linux-x86_64";
  origin.targets = {"linux-sbsa"};
  origin.compat = true;
  origin.driver = "/run/driver";
  origin.expected_at_run = {"libcuda.so.1"};
  LockedArchive archive;
  archive.product = "cuda";
  archive.label = "12.4.1";
  archive.package = "cuda_cudart";
  archive.version = "12.4.127";
  archive.platform = "linux-sbsa";
  archive.path = "a.tar.xz";
  archive.sha256 = std::string(64, 'b');
  origin.archives = {archive};
  OriginEntry file{"a b", 0, "lib/a", std::string(64, 'c'), "", "lib", "why", std::string(64, 'd'), true};
  OriginEntry link{"lib64", {}, "", "", "lib", "lib", "", "", false};
  origin.entries = {file, link};
  return origin;
}

std::string refusal(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const auto origin = read_origin(text, "origin.json");
  return origin ? "" : origin.error().message;
}

} // namespace

TEST_CASE("an origin that was written is read as it was") {
  const auto origin = read_origin(origin_text(some_origin()), "origin.json");
  REQUIRE_MESSAGE(origin, origin.error().message);
  CHECK(*origin == some_origin());
}

TEST_CASE("damaged origins are refused with the position") {
  const std::string text = origin_text(some_origin());
  CHECK(refusal(text, "\"schema\": 1", "\"schema\": 2").find("not an origin of schema 1") !=
        std::string::npos);
  CHECK(refusal(text, "\"a b\"", "\"../b\"").find("not below the root") != std::string::npos);
  CHECK(refusal(text, "\"lib/a\"", "\"/lib/a\"").find("not below the root") != std::string::npos);
  CHECK(refusal(text, "\"archive\":0", "\"archive\":1").find("not the index") != std::string::npos);
  CHECK(refusal(text, "\"path\":\"lib64\"", "\"path\":\"a a\"").find("not sorted") != std::string::npos);
  CHECK(refusal(text, "\"link\":\"lib\"", "\"output\":\"x\"").find("occurs twice") != std::string::npos);
  CHECK(refusal(text, "\"link\":\"lib\",", "").find("either a file") != std::string::npos);
  CHECK(refusal(text, "\"output\"", "\"outputs\"").find("occurs twice") == std::string::npos);
  CHECK_FALSE(read_origin("{", "origin.json"));
}

TEST_CASE("an origin is described in one line") {
  CHECK(describe(some_origin()) == "composed from cuda 12.4.1 (linux-sbsa) of redist.lock");
}

TEST_CASE("the core reads the same from an origin") {
  hostpin::test::FakeFiles files;
  files.file("/cuda/origin.json", origin_text(some_origin()));
  const auto composed = hostpin::composed_toolkit("/cuda", files);
  REQUIRE(composed);
  REQUIRE(*composed);
  CHECK((*composed)->description == describe(some_origin()));
  CHECK((*composed)->driver_path == driver_path(some_origin(), "/cuda"));
}

TEST_CASE("paths below a directory") {
  CHECK(is_path_below("a/b c"));
  for (const char* path : {"", "/a", "a/", "a//b", "a/../b", "./a", "a\nb", "caf\xe9"})
    CHECK_FALSE(is_path_below(path));
}

TEST_CASE("what a binding reads of an origin is what compose wrote") {
  hostpin::test::FakeFiles files;
  files.file("/cuda/origin.json", origin_text(some_origin()));
  const auto composed = hostpin::composed_toolkit("/cuda", files);
  REQUIRE(composed);
  REQUIRE(*composed);
  CHECK((*composed)->description == "composed from cuda 12.4.1 (linux-sbsa) of redist.lock");
  CHECK((*composed)->driver_path == std::vector<std::string>{"/cuda/compat", "/run/driver"});
}
