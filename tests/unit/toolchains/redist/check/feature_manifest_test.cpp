// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/check/manifests.hpp"
#include "toolchains/redist/check/feature_manifest.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

struct Reading {
  FeatureManifest manifest;
  std::vector<Finding> findings;
};

Reading reading(const std::string& text) {
  const auto json = hostpin::document::parse_json(text);
  REQUIRE(json);
  Reading result;
  result.manifest = read_feature_manifest(*json, "f.json", result.findings);
  return result;
}

const std::string tree = "sha256-RpeKgYPIRVsV7TK3YLUjaWddeU+/Br9UQvwnVBfPS4s=";

const std::string information = R"({"license": "cuTENSOR", "name": "NVIDIA cuTENSOR", "version": "2.0.2.4"})";

std::string second_generation(const std::string& outputs, const std::string& hash = tree,
                              const std::string& more = {}, const std::string& about = information) {
  return R"({"libcutensor": {"packages": {"linux-sbsa": {"None": {"features": {"outputs": )" + outputs +
         R"(}, "recursiveHash": ")" + hash + "\"" + more + "}}}, \"releaseInfo\": " + about + "}}";
}

/// `outputs` of generation 1 as they are, and then the others.
std::string first_generation(const std::string& outputs) {
  return R"({"a": {"linux-sbsa": {"outputs": {)" + outputs +
         R"(, "bin": false, "doc": false, "sample": false}}}})";
}

} // namespace

TEST_CASE("generation 1 has booleans, with and without variants") {
  const Reading result =
      reading(R"({"a": {"linux-sbsa": {"outputs": {"lib": true, "bin": false, "dev": true, "doc": false,
        "sample": false, "static": false}}},
    "b": {"linux-x86_64": {"cuda12": {"outputs": {"lib": false, "bin": false, "dev": false, "doc": false,
        "sample": false, "static": true}}}}})");
  CHECK(result.findings.empty());
  CHECK(result.manifest.generation == 1);
  REQUIRE(result.manifest.archives.size() == 2);
  CHECK(result.manifest.archives[0].outputs == std::vector<std::string>{"dev", "lib"});
  CHECK(result.manifest.archives[1].variant == "cuda12");
}

TEST_CASE("generation 2 has lists and the hash of the tree") {
  const Reading result = reading(second_generation(R"(["lib", "dev"])"));
  CHECK(result.findings.empty());
  CHECK(result.manifest.generation == 2);
  REQUIRE(result.manifest.archives.size() == 1);
  CHECK(result.manifest.archives[0].variant.empty());
  CHECK(result.manifest.archives[0].tree.value == tree);
}

TEST_CASE("what does not follow the format is found") {
  CHECK(listed(reading(second_generation(R"(["lib", 3])")).findings) == "wrong-type outputs");
  CHECK(listed(reading(second_generation(R"(["libs"])")).findings) == "wrong-type libs");
  CHECK(listed(reading(second_generation(R"({"lib": true})")).findings) == "wrong-type outputs");
  CHECK(listed(reading(second_generation("[]", "sha256-x")).findings) == "malformed-hash recursiveHash");
  CHECK(listed(reading(first_generation(R"("dev": true, "static": true, "lib": 1, "lib": true)")).findings) ==
        "wrong-type lib; duplicate-key lib");
  CHECK(listed(reading(first_generation(R"("lib": true, "dev": true)")).findings) == "wrong-type static");
  CHECK(listed(reading(R"({"a": {"linux-sbsa": {"outputs": []}, "linux-x86_64": {}}})").findings) ==
        "wrong-type outputs; wrong-type outputs");
}

TEST_CASE("generation 2 has strings and lists where they belong") {
  const auto found = [](const std::string& more, const std::string& about = information) {
    return listed(reading(second_generation("[]", tree, more, about)).findings);
  };
  CHECK(found(R"(, "relativePath": "cutensor/a.tar.xz")").empty());
  CHECK(found(R"(, "relativePath": "../a.tar.xz")") == "unsafe-path ../a.tar.xz");
  CHECK(found(R"(, "relativePath": 7)") == "wrong-type relativePath");
  CHECK(found(R"(, "relativePath": "a", "relativePath": "b")") == "duplicate-key relativePath");
  CHECK(found("", "[]") == "wrong-type releaseInfo");
  CHECK(found("", R"({"license": "x", "name": null})") == "wrong-type version; wrong-type name");
  CHECK(found("", R"({"license": "x", "name": "2.0", "version": "n"})") == "wrong-type version");
  const auto features = [](const std::string& more) {
    return listed(reading(second_generation("[]" + more)).findings);
  };
  CHECK(features(R"(, "cudaArchitectures": {"11": ["sm_90"], "12": []})").empty());
  CHECK(features(R"(, "cudaArchitectures": ["sm_90", 90])") == "wrong-type cudaArchitectures");
  CHECK(features(R"(, "cudaArchitectures": "sm_90")") == "wrong-type cudaArchitectures");
  CHECK(features(R"(, "outputs": [])") == "duplicate-key outputs");
}

TEST_CASE("a manifest is not a feature manifest") {
  CHECK(feature_generation(*hostpin::document::parse_json(manifest_json(package_json("cuda_nvcc")))) == 0);
  CHECK(feature_generation(*hostpin::document::parse_json("[]")) == 0);
}
