// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/select/sources.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/redist/select/release.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

std::string title_of(const std::string& path, const std::string& text) {
  const std::map<std::string, std::string> texts = {{path, text}};
  const auto release = read_release(FilesMap(texts), path);
  return release ? release->title : release.error().message;
}

} // namespace

TEST_CASE("manifests and locks are read as releases, whatever the files are called") {
  const std::string manifest = R"({"release_label": "12.4.1", "release_product": "cuda",)" +
                               package_text("a", "1", {"linux-sbsa"}) + "}";
  CHECK(title_of("/x", manifest) == "cuda 12.4.1");
  Lock lock;
  lock.manifests = {{"cuda", "12.4.1", {}, std::string(64, 'a'), "https://example.org/"},
                    {"cudnn", "9", {}, std::string(64, 'b'), "https://example.org/"}};
  CHECK(title_of("/x", lock_text(lock)) == "cuda 12.4.1, cudnn 9");
}

TEST_CASE("what cannot be read is an error with its position") {
  CHECK(title_of("/x", "{\n]").starts_with("/x:2:1: "));
  CHECK(title_of("/x", "[]").starts_with("/x:1:1: the manifest is a value of type array"));
  CHECK(title_of("/x", R"({"schema": 2, "manifests": []})")
            .starts_with("/x:1:12: this is not a lock of schema 1"));
  CHECK(title_of("/x", R"({"a": {}})").find("'version' is missing") != std::string::npos);
}

TEST_CASE("a feature manifest of generation 2 has contents instead of archives") {
  const std::string text =
      R"({"libnpp": {"releaseInfo": {"version": "12.3", "license": "CUDA Toolkit"}, "packages": {
  "linux-sbsa": {"None": {"features": {"outputs": ["out", "lib"], "cudaArchitectures": ["sm_90"],
    "providedLibs": [{"file": "lib/libnppc.so.12", "soname": "libnppc.so.12"}]}, "recursiveHash": "sha256-x"}},
  "linux-x86_64": {"cuda12": {"features": {"outputs": ["lib"], "cudaArchitectures": {"12": ["sm_80"], "11": ["sm_50"]}}}}}}})";
  const std::map<std::string, std::string> texts = {{"/f.json", text}};
  const auto release = read_release(FilesMap(texts), "/f.json");
  REQUIRE_MESSAGE(release, release.error().message);
  const ReleasePackage& package = release->packages.at("libnpp");
  CHECK(package.version == "12.3");
  CHECK(package.archives.at({"linux-sbsa", ""}) ==
        ReleaseArchive{"sha256-x", 0, ReleaseContent{{"lib", "out"}, {"libnppc.so.12"}, {"sm_90"}}});
  CHECK(package.archives.at({"linux-x86_64", "cuda12"}).content->gpus ==
        std::set<std::string>{"sm_50", "sm_80"});
}
