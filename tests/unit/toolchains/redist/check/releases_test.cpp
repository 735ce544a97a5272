// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/check/manifests.hpp"
#include "toolchains/redist/check/releases.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

// From the expression for cuDNN that Nixpkgs had: pkgs/development/cuda-modules/cudnn/releases.nix.
const std::string good_hash = "sha256-BJH3sC9VwiB362eL8xTB+RdSS9UHz1tlgjm/mKRyM6E=",
                  good_hex = "0491f7b02f55c22077eb678bf314c1f917524bd507cf5b658239bf98a47233a1",
                  short_hash = "sha256-Bp2ghM02jzn7gw1MTpMYAwZPtl52b0z33y2ko0aiup8";

std::string release_json(const std::string& hash, const std::string& more = {}) {
  return R"({"product": "cudnn", "releases": {"linux-aarch64": [{"version": "8.9.5.30", "minCudaVersion": "12.0", "maxCudaVersion": "12.8",
"url": "https://developer.download.nvidia.com/cudnn/linux-aarch64/cudnn-linux-aarch64-8.9.5.30_cuda12-archive.tar.xz", "hash": ")" +
         hash + "\"" + more + "}]}}";
}

std::string found(const std::string& text) {
  const auto json = hostpin::document::parse_json(text);
  REQUIRE(json);
  REQUIRE(is_releases(*json));
  std::vector<Finding> findings;
  const Releases releases = read_releases(*json, "releases.json", findings);
  check_releases_file(releases, real_facts(), findings);
  return listed(findings);
}

std::string found_with(const std::string& from, const std::string& to) {
  std::string text = release_json(good_hash);
  return found(text.replace(text.find(from), from.size(), to));
}

} // namespace

TEST_CASE("an SRI hash is read as hexadecimal digits") {
  CHECK(hex_of_sri(good_hash) == good_hex);
  CHECK(hex_of_sri(short_hash).empty());
  CHECK(hex_of_sri(good_hash.substr(1)).empty());
  std::string odd = good_hash; // the two bits after the last byte are zeros
  odd[odd.size() - 2] = 'F';
  CHECK(hex_of_sri(odd).empty());
  odd[10] = '!';
  CHECK(hex_of_sri(odd).empty());
}

TEST_CASE("nothing is found in a good list, with null as cuDNN's version") {
  CHECK(found(release_json(good_hash, ", \"cudnnVersion\": null")).empty());
}

TEST_CASE("a list without product and releases has platforms only") {
  const auto json = hostpin::document::parse_json(R"({"linux-sbsa": [], "linux-x86_64": []})");
  REQUIRE(json);
  CHECK(is_releases(*json));
  CHECK_FALSE(is_releases(*hostpin::document::parse_json(R"({"linux-sbsa": {}})")));
  CHECK_FALSE(is_releases(*hostpin::document::parse_json("{}")));
}

TEST_CASE("a hash that is no hash, and what does not fit, are found") {
  CHECK(found(release_json(short_hash)).starts_with("malformed-hash cudnn-linux-aarch64"));
  CHECK(found_with("https://", "http://").starts_with("unsafe-path http://"));
  CHECK(found_with("-8.9.5.30_", "-8.9.5.29_").starts_with("version-in-name"));
  CHECK(found_with(".tar.xz", ".zip").starts_with("wrong-format"));
  CHECK(found_with("\"8.9.5.30\"", "8") == "wrong-type version; wrong-type version");
  CHECK(found_with("\"minCudaVersion\"", "\"minCuda\"") == "wrong-type minCudaVersion; wrong-type minCuda");
  CHECK(found(release_json(good_hash, ", \"hash\": \"x\"")).find("duplicate-key hash") != std::string::npos);
}

TEST_CASE("a range without a release of CUDA, and versions of another form, are found") {
  CHECK(found_with("\"12.0\"", "\"12.9\"") == "wrong-type minCudaVersion");
  CHECK(found_with("\"12.0\"", "\"9.2\"").empty()); // by number, not by text
  CHECK(found_with("\"12.0\"", "\"12\"") == "wrong-type minCudaVersion");
  CHECK(found_with("\"12.8\"", "\"12.8.1\"") == "wrong-type maxCudaVersion");
  CHECK(found(release_json(good_hash, ", \"cudnnVersion\": \"x\"")) == "wrong-type cudnnVersion");
}

TEST_CASE("an archive that is named for another platform is found") {
  CHECK(
      found_with("\"linux-aarch64\"", "\"linux-sbsa\"").starts_with("platform-in-path cudnn-linux-aarch64"));
  CHECK(found_with("cudnn-linux-aarch64-", "cudnn-aarch64-").empty());
  CHECK(found_with("cudnn-linux-aarch64-", "cudnn-x64-").starts_with("platform-in-path cudnn-x64"));
}

TEST_CASE("a file name is not a URL, and what the file is about is a string") {
  CHECK(found_with("\"url\"", "\"filename\"").starts_with("unsafe-path https://"));
  CHECK(found_with("\"cudnn\"", "[]") == "wrong-type product");
}

TEST_CASE("findings have the position of the release that they are about") {
  const std::string more = R"(, "cudnnVersion": "x", "name": "y")";
  const auto json = hostpin::document::parse_json(release_json("sha256-", more));
  REQUIRE(json);
  std::vector<Finding> findings;
  const Releases releases = read_releases(*json, "releases.json", findings);
  check_releases_file(releases, real_facts(), findings);
  CHECK(findings.size() == 3);
  for (const Finding& one : findings)
    CHECK(one.entry == releases.releases.at(0).at);
}
