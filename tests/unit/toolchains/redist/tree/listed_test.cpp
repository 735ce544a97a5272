// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/lock.hpp"
#include "toolchains/redist/tree/listed.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

const std::string hash(64, 'a');

std::string manifest(const std::string& path = "b/linux-sbsa/b.tar.xz") {
  return R"({"b": {"name": "B", "license": "L", "license_path": "b/LICENSE.txt", "version": "2",
  "linux-sbsa": {"cuda12": {"relative_path": ")" +
         path + R"(", "sha256": ")" + hash + R"(", "md5": "", "size": "1"}}},
  "a": {"name": "A", "license": "L", "version": "1",
  "linux-sbsa": {"relative_path": "a.tar.xz", "sha256": ")" +
         hash + R"(", "md5": "", "size": "1"},
  "linux-x86_64": {"relative_path": "a2.tar.xz", "sha256": ")" +
         hash + R"(", "md5": "", "size": "1"}}})";
}

} // namespace

TEST_CASE("the archives of a manifest for a platform are sorted, with variants") {
  const auto listed = listed_archives(manifest(), "m.json", "linux-sbsa", {});
  REQUIRE(listed);
  REQUIRE(listed->size() == 2);
  CHECK(name_of((*listed)[0]) == "a 1 linux-sbsa");
  CHECK(name_of((*listed)[1]) == "b 2 linux-sbsa cuda12");
  CHECK((*listed)[1].license_path == "b/LICENSE.txt");
  CHECK(listed_archives(manifest(), "m.json", "linux-sbsa", {"b"})->size() == 1);
}

TEST_CASE("a lock lists the same archives") {
  Lock lock;
  lock.manifests = {{"cuda", "12.4.1", "", hash, "https://example.org/"}};
  lock.archives = {{"cuda", "12.4.1", "a", "1", "linux-sbsa", "", "L", "a.tar.xz", hash, 1, ""}};
  const auto listed = listed_archives(lock_text(lock), "redist.lock", "linux-sbsa", {});
  REQUIRE(listed);
  CHECK(name_of(listed->at(0)) == "a 1 linux-sbsa");
  CHECK(listed->at(0).sha256 == hash);
}

TEST_CASE("what is not there, not JSON or not safe is an error with the file's name") {
  const auto message = [](const std::string& content, const std::string& platform,
                          const std::vector<std::string>& packages) {
    const auto listed = listed_archives(content, "m.json", platform, packages);
    return listed ? "" : listed.error().message;
  };
  CHECK(message(manifest(), "linux-ppc64le", {}) == "m.json has no archive for the platform linux-ppc64le");
  CHECK(message(manifest(), "linux-x86_64", {"b"}) == "m.json has no package b for linux-x86_64");
  CHECK(message("{", "linux-sbsa", {}).starts_with("m.json:1:"));
  CHECK(message(manifest("../b.tar.xz"), "linux-sbsa", {}).starts_with("m.json:2:"));
  CHECK(message("[]", "linux-sbsa", {}) == "m.json is not a manifest");
}
