// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/manifest.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

struct Reading {
  std::optional<Manifest> manifest;
  std::vector<Finding> findings;
};

Reading reading(std::string_view text, const std::string& file = "cuda/redistrib_1.2.json") {
  Reading result;
  result.manifest = read_manifest(text, file, result.findings);
  return result;
}

/// Rule, position and subject of the only finding.
std::string only(const Reading& result) {
  if (result.findings.size() != 1)
    return std::to_string(result.findings.size()) + " findings";
  const Finding& one = result.findings.front();
  return std::string(text_of(one.rule).name) + ' ' + std::to_string(one.at.line) + ' ' + one.package + ' ' +
         one.platform + ' ' + one.subject;
}

} // namespace

TEST_CASE("a flat package has one archive for each platform") {
  const Reading result = reading(R"({
  "release_date": "2024-04-16", "release_label": "12.4.1", "release_product": "cuda",
  "cuda_nvcc": {
    "name": "CUDA NVCC", "license": "CUDA Toolkit", "license_path": "cuda_nvcc/LICENSE.txt", "version": "12.4.131",
    "linux-x86_64": {"relative_path": "cuda_nvcc/linux-x86_64/n.tar.xz", "sha256": "ab", "md5": "cd", "size": "52"},
    "source": {"relative_path": "s", "sha256": "ef", "md5": "", "size": "1"}
  }
})");
  REQUIRE(result.manifest);
  CHECK(result.findings.empty());
  CHECK(label_of(*result.manifest) == "12.4.1");
  CHECK(product_of(*result.manifest) == "cuda");
  const Package* const package = find_package(*result.manifest, "cuda_nvcc");
  REQUIRE(package != nullptr);
  CHECK(package->version.value == "12.4.131");
  CHECK(package->at == Position{3, 3});
  REQUIRE(package->archives.size() == 2);
  CHECK(package->archives[0].platform == "linux-x86_64");
  CHECK(package->archives[0].variant.empty());
  CHECK(package->archives[0].size == 52);
  CHECK(package->archives[0].at == Position{5, 5});
  CHECK(package->archives[1].platform == "source");
  CHECK(find_package(*result.manifest, "cudnn") == nullptr);
}

TEST_CASE("a package with CUDA variants has one archive for each variant of a platform") {
  const Reading result = reading(R"({"cudnn": {"version": "9.1", "cuda_variant": ["11", "12"], "linux-sbsa": {
    "cuda11": {"relative_path": "a", "sha256": "1"}, "cuda12": {"relative_path": "b", "sha256": "2"}}}})");
  REQUIRE(result.manifest);
  CHECK(result.findings.empty());
  const Package& package = result.manifest->packages.at(0);
  REQUIRE(package.archives.size() == 2);
  CHECK(package.archives[0].variant == "cuda11");
  CHECK(package.archives[1].variant == "cuda12");
  CHECK(package.archives[1].path.value == "b");
  CHECK(package.cuda_variants.size() == 2);
}

TEST_CASE("variants and the keys of an archive next to them are all read") {
  const Reading result = reading(R"({"cudnn": {"version": "9.27", "windows-arm64": {
    "cuda13": {"relative_path": "a", "sha256": "1"}, "relative_path": "b", "sha256": "2", "size": "7"}}})");
  REQUIRE(result.manifest);
  CHECK(result.findings.empty());
  const Package& package = result.manifest->packages.at(0);
  REQUIRE(package.archives.size() == 2);
  CHECK(package.archives[0].variant.empty());
  CHECK(package.archives[0].path.value == "b");
  CHECK(package.archives[0].size == 7);
  CHECK(package.archives[1].variant == "cuda13");
  CHECK(package.archives[1].path.value == "a");
  CHECK(only(reading(R"({"p": {"version": "1", "x": {"relative_path": "a", "sha256": "2", "md5": {}}}})")) ==
        "wrong-type 1 p x 'md5'");
  CHECK(
      only(reading(
          R"({"p": {"version": "1", "x": {"cuda13": {"relative_path": "a", "sha256": "1", "cuda14": {}}}}})")) ==
      "wrong-type 1 p x cuda14");
}

TEST_CASE("a finding is about the platforms that its archive serves") {
  const auto is = [](const std::string& listed, const std::string& package,
                     std::vector<std::string> platforms, std::vector<std::string> packages) {
    Finding one;
    one.platform = listed;
    one.package = package;
    return is_about(one, platforms, packages);
  };
  CHECK(is("linux-sbsa", "a", {"linux-sbsa"}, {}));
  CHECK(is("linux-sbsa", "a", {}, {"b", "a"}));
  CHECK(is("linux-all", "a", {"linux-sbsa"}, {"a"}));
  CHECK(is("source", "a", {"windows-x86_64"}, {"a"}));
  CHECK(is("", "", {"linux-sbsa"}, {"a"}));
  CHECK_FALSE(is("linux-all", "a", {"windows-x86_64"}, {}));
  CHECK_FALSE(is("windows-arm64", "a", {"linux-sbsa"}, {}));
  CHECK_FALSE(is("", "a", {"linux-sbsa"}, {"b"}));
}

TEST_CASE("label and product of older manifests are those of the file's name and directory") {
  const Reading result = reading("{}", "x/cuda/redistrib_11.4.2.json");
  REQUIRE(result.manifest);
  CHECK(label_of(*result.manifest) == "11.4.2");
  CHECK(product_of(*result.manifest) == "cuda");
  CHECK(product_of(*reading("{}", "compute/cudnn/redist/redistrib_8.5.0.json").manifest) == "cudnn");
  CHECK(product_of(*reading("{}", "redistrib_8.5.0.json").manifest).empty());
  Manifest bare = *reading("{}", "redistrib_8.5.0.json").manifest;
  bare.path = "/m/cudnn/redistrib_8.5.0.json";
  CHECK(product_of(bare) == "cudnn");
  bare.file = "newest.json";
  CHECK(label_of(bare) == "8.5.0");
  CHECK(label_in_name("feature_8.5.0.json").empty());
  CHECK(label_in_name("redistrib_.json").empty());
}

TEST_CASE("of two members with the same key the last one is taken, and the first one is a finding") {
  const Reading result = reading("{\"p\": {\"version\": \"1\",\n\"version\": \"2\"}}");
  CHECK(only(result) == "duplicate-key 1 p  version");
  CHECK(result.manifest->packages.at(0).version.value == "2");
}

TEST_CASE("a value of another type is a finding at its position, and left out") {
  CHECK(only(reading("[]")) == "wrong-type 1   the manifest");
  CHECK_FALSE(reading("[]").manifest);
  CHECK(only(reading("{\"release_label\": 12.4}")) == "wrong-type 1   'release_label'");
  CHECK(only(reading("{\n\"p\": 3}")) == "wrong-type 2   the package 'p'");
  CHECK(only(reading("{\"p\": {\"linux-x86_64\": {}}}")) == "wrong-type 1 p  version");
  CHECK(
      only(reading(
          R"({"p": {"version": "1", "linux-sbsa": {"relative_path": "a", "sha256": "b", "size": "-1"}}})")) ==
      "wrong-type 1 p linux-sbsa size");
  CHECK(
      only(reading(
          R"({"p": {"version": "1", "linux-sbsa": {"relative_path": "a", "sha256": "b", "sha1": "x"}}})")) ==
      "wrong-type 1 p linux-sbsa sha1");
  CHECK(only(reading(R"({"p": {"version": "1", "linux-sbsa": {"relative_path": "a"}}})")) ==
        "wrong-type 1 p linux-sbsa sha256");
}

TEST_CASE("a size that is a number is read, with a warning") {
  const Reading result =
      reading(R"({"p": {"version": "1", "linux-sbsa": {"relative_path": "a", "sha256": "b", "size": 7}}})");
  CHECK(only(result) == "wrong-type 1 p linux-sbsa size");
  CHECK(result.findings.front().severity == Severity::warning);
  CHECK(result.manifest->packages.at(0).archives.at(0).size == 7);
}

TEST_CASE("what is not JSON is a finding") {
  const Reading result = reading("{\n<html>");
  CHECK_FALSE(result.manifest);
  CHECK(only(result).starts_with("not-json 2"));
}
