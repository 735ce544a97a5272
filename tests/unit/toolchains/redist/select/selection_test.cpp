// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/redist/select/sources.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

const Facts& facts() {
  static const Facts loaded = load_facts(DiskFiles(), hostpin::test::shipped_data()).value();
  return loaded;
}

/// CUDA 12.4.1 as far as the tests need it; cuda_compat is for Jetson only, as in the real one.
CheckedManifest cuda(const std::string& label = "12.4.1") {
  return source_of(
      "cuda/redistrib_" + label + ".json",
      "{" + package_text("cuda_nvcc", "12.4.131", {"linux-x86_64", "linux-sbsa", "linux-aarch64"}) + "," +
          package_text("cuda_cccl", "12.4.127", {"linux-x86_64", "linux-sbsa"}) + "," +
          package_text("cuda_compat", "12.4.3", {"linux-aarch64"}) + "," +
          package_text("driver_assistant", "0.2", {"linux-all"}) + "}");
}

/// As cudnn 9.1.1: variants, and samples that fit every platform.
CheckedManifest cudnn() {
  const std::string digest(64, 'd');
  const auto archive = [&](const std::string& name) {
    return R"({"relative_path": "cudnn/)" + name + R"(", "sha256": ")" + digest + R"("})";
  };
  return source_of("cudnn/redistrib_9.1.1.json",
                   R"({"cudnn": {"license": "cudnn", "version": "9.1.1.17", "cuda_variant": ["11", "12"],
  "linux-x86_64": {"cuda11": )" +
                       archive("x11") + R"(, "cuda12": )" + archive("x12") + R"(},
  "linux-aarch64": {"cuda12": )" +
                       archive("j12") + R"(}},
 "cudnn_samples": {"version": "9.1.1.17", "source": )" +
                       archive("samples") + "}}");
}

Wish wish(std::vector<std::string> platforms, std::vector<std::string> packages = {}) {
  return {std::move(platforms), std::move(packages), {}, {}};
}

std::string selected(const std::vector<CheckedManifest>& sources, const Wish& wanted) {
  const auto result = selection(facts(), sources, wanted);
  if (!result)
    return result.error().message + " | " + result.error().hint;
  std::string text;
  for (const LockedArchive& archive : result->lock.archives)
    text += (text.empty() ? "" : ", ") + name_of(archive);
  return text;
}

/// The platforms and variants of the archives for which an error stays one, of an error in each.
std::string in_the_way(const CheckedManifest& source, const Wish& wanted) {
  std::string text;
  for (const Package& package : source.manifest.packages)
    for (const Archive& archive : package.archives) {
      std::vector<Finding> findings{
          finding(Rule::malformed_hash, source.manifest.file, archive.sha256.at, "s", "")};
      findings[0].package = package.key;
      findings[0].platform = archive.platform;
      findings[0].entry = archive.at;
      forgive_unselected(std::span(&source, 1), wanted, findings);
      if (findings[0].severity == Severity::error)
        text += (text.empty() ? "" : ", ") + package.key + ' ' + archive.platform + archive.variant;
    }
  return text;
}

} // namespace

TEST_CASE("an error of an archive that cannot be selected is a warning") {
  CHECK(in_the_way(cuda(), wish({"linux-sbsa"}, {"cuda_nvcc"})) == "cuda_nvcc linux-sbsa");
  CHECK(in_the_way(cuda(), wish({"linux-sbsa", "linux-aarch64"},
                                {"cuda_nvcc@linux-sbsa", "cuda_compat@linux-aarch64"})) ==
        "cuda_nvcc linux-sbsa, cuda_compat linux-aarch64");
  CHECK(in_the_way(cudnn(), {{"linux-x86_64"}, {}, "12", {}}) ==
        "cudnn linux-x86_64cuda12, cudnn_samples source");
  CHECK(in_the_way(cudnn(), wish({"linux-x86_64"}, {"cudnn"})) ==
        "cudnn linux-x86_64cuda11, cudnn linux-x86_64cuda12");
}

TEST_CASE("an error of a list's release that was not selected is a warning, an error of the file is not") {
  const CheckedManifest chosen = cudnn();
  const Position selected = chosen.manifest.packages[0].archives[1].at;
  const auto severity = [&](Position entry) {
    std::vector<Finding> findings{finding(Rule::malformed_hash, chosen.manifest.file, {9, 9}, "s", "")};
    findings[0].entry = entry;
    forgive_unselected(std::span(&chosen, 1), {{"linux-x86_64"}, {}, "12", {}}, findings);
    return findings[0].severity;
  };
  CHECK(severity(selected) == Severity::error);
  CHECK(severity({700, 1}) == Severity::warning);
  CHECK(severity({}) == Severity::error);
}

TEST_CASE("archives of a manifest that was fetched are next to it, unless another server is named") {
  CheckedManifest source = cuda();
  source.manifest.file = "https://mirror.example.org/cuda/redist/redistrib_12.4.1.json";
  source.base = "https://mirror.example.org/cuda/redist/";
  Wish wanted = wish({"linux-sbsa"}, {"cuda_nvcc"});
  auto result = selection(facts(), std::vector{source}, wanted);
  REQUIRE_MESSAGE(result, result.error().message);
  CHECK(result->lock.manifests[0].url == source.manifest.file);
  CHECK(result->lock.manifests[0].base == source.base);
  wanted.bases["cuda"] = "https://example.org/other";
  result = selection(facts(), std::vector{source}, wanted);
  REQUIRE_MESSAGE(result, result.error().message);
  CHECK(result->lock.manifests[0].base == "https://example.org/other/");
  result = selection(facts(), std::vector{cuda()}, wish({"linux-sbsa"}, {"cuda_nvcc"}));
  CHECK(result->lock.manifests[0].url.empty());
}

TEST_CASE("a whole release has each package of each platform once, and names what is not published") {
  const auto result = selection(facts(), std::vector{cuda()}, wish({"linux-x86_64", "linux-aarch64"}));
  REQUIRE_MESSAGE(result, result.error().message);
  CHECK(
      selected({cuda()}, wish({"linux-x86_64", "linux-aarch64"})) ==
      "cuda_cccl 12.4.127 linux-x86_64, cuda_compat 12.4.3 linux-aarch64, cuda_nvcc 12.4.131 linux-aarch64, "
      "cuda_nvcc 12.4.131 linux-x86_64, driver_assistant 0.2 linux-all");
  CHECK(result->left_out.at("linux-x86_64") == std::vector<std::string>{"cuda_compat"});
  CHECK(result->left_out.at("linux-aarch64") == std::vector<std::string>{"cuda_cccl"});
}

TEST_CASE("a lock has the manifests with the URLs of their products, or those of --base") {
  Wish wanted = wish({"linux-x86_64"});
  wanted.bases["cudnn"] = "http://127.0.0.1/mirror";
  const auto result = selection(facts(), std::vector{cuda(), cudnn()}, wanted);
  REQUIRE_MESSAGE(result, result.error().message);
  REQUIRE(result->lock.manifests.size() == 2);
  CHECK(result->lock.manifests[0].base == "https://developer.download.nvidia.com/compute/cuda/redist/");
  CHECK(result->lock.manifests[0].sha256 == std::string(64, '0'));
  CHECK(result->lock.manifests[1].base == "http://127.0.0.1/mirror/");
  CHECK(result->lock.manifests[1].label == "9.1.1");
}

TEST_CASE("the order of manifests, platforms and packages does not change a lock") {
  const auto one = selection(facts(), std::vector{cuda(), cudnn()}, wish({"linux-x86_64", "linux-aarch64"}));
  const auto other =
      selection(facts(), std::vector{cudnn(), cuda()}, wish({"linux-aarch64", "linux-x86_64"}));
  REQUIRE(one);
  REQUIRE(other);
  CHECK(lock_text(one->lock) == lock_text(other->lock));
}

TEST_CASE("the CUDA manifest chooses between variants, and --cuda-variant before it") {
  CHECK(selected({cuda(), cudnn()}, wish({"linux-x86_64"}, {"cudnn"})) ==
        "cudnn 9.1.1.17 linux-x86_64 cuda12");
  Wish wanted = wish({"linux-x86_64"}, {"cudnn"});
  for (const char* const variant : {"11", "cuda11", "11.8"}) {
    wanted.cuda_variant = variant;
    CHECK(selected({cuda(), cudnn()}, wanted) == "cudnn 9.1.1.17 linux-x86_64 cuda11");
  }
}

TEST_CASE("a variant of a minor CUDA release is selected for that release, and for its major") {
  const auto compat = [](const std::string& label, const std::vector<std::string>& variants) {
    std::string text;
    for (const std::string& variant : variants)
      text += (text.empty() ? "" : ", ") + ('"' + variant) + R"(": {"relative_path": "c/)" + variant +
              R"(", "sha256": ")" + std::string(64, 'c') + "\"}";
    return source_of("cuda/redistrib_" + label + ".json",
                     R"({"cuda_compat": {"license": "L", "version": "610.43.02", "linux-x86_64": {)" + text +
                         "}}}");
  };
  CHECK(selected({compat("13.3.0", {"cuda13.3"})}, wish({"linux-x86_64"})) ==
        "cuda_compat 610.43.02 linux-x86_64 cuda13.3");
  CHECK(selected({compat("13.3.0", {"cuda13", "cuda13.2", "cuda13.3"})}, wish({"linux-x86_64"})) ==
        "cuda_compat 610.43.02 linux-x86_64 cuda13.3");
  CHECK(selected({compat("13.3.0", {"cuda13.2"})}, wish({"linux-x86_64"}))
            .starts_with("cuda_compat 610.43.02 of cuda 13.3.0 has no archive for CUDA 13.3.0 on"));
  Wish wanted = wish({"linux-x86_64"});
  wanted.cuda_variant = "13";
  CHECK(selected({compat("13.3.0", {"cuda12", "cuda13.3"})}, wanted) ==
        "cuda_compat 610.43.02 linux-x86_64 cuda13.3");
}

TEST_CASE("an archive without a variant next to variants is not selected") {
  const auto archive = [](char digit) {
    return R"("relative_path": "cudnn/)" + std::string(1, digit) + R"(", "sha256": ")" +
           std::string(64, digit) + '"';
  };
  const CheckedManifest source =
      source_of("cudnn/redistrib_9.27.0.json",
                R"({"cudnn": {"license": "cudnn", "version": "9.27.0.42", "windows-arm64": {"cuda13": {)" +
                    archive('a') + "}, " + archive('b') + "}}}");
  Wish wanted = wish({"windows-arm64"});
  CHECK(selected({source}, wanted)
            .starts_with("cudnn 9.27.0.42 of cudnn 9.27.0 has an archive for each of cuda13,"));
  wanted.cuda_variant = "13";
  CHECK(selected({source}, wanted) == "cudnn 9.27.0.42 windows-arm64 cuda13");
  wanted.cuda_variant = "12";
  CHECK(selected({source}, wanted)
            .starts_with("cudnn 9.27.0.42 of cudnn 9.27.0 has no archive for CUDA 12 on"));
}

TEST_CASE("without a way to choose a variant the error names them") {
  CHECK(selected({cudnn()}, wish({"linux-x86_64"}))
            .starts_with("cudnn 9.1.1.17 of cudnn 9.1.1 has an archive for "
                         "each of cuda11, cuda12"));
  // a single one is no choice
  CHECK(selected({cudnn()}, wish({"linux-aarch64"}, {"cudnn"})) == "cudnn 9.1.1.17 linux-aarch64 cuda12");
  Wish wanted = wish({"linux-aarch64"}, {"cudnn"});
  wanted.cuda_variant = "11";
  CHECK(selected({cudnn()}, wanted)
            .starts_with(
                "cudnn 9.1.1.17 of cudnn 9.1.1 has no archive for CUDA 11 on linux-aarch64, only cuda12"));
}

TEST_CASE("archives of all Linux platforms and sources are taken where the platform has none, and once") {
  CHECK(selected({cuda(), cudnn()},
                 wish({"linux-x86_64", "linux-aarch64"}, {"driver_assistant", "cudnn_samples"})) ==
        "driver_assistant 0.2 linux-all, cudnn_samples 9.1.1.17 source");
}

TEST_CASE("nothing is selected in place of what is for Jetson, and the other way round") {
  CHECK(
      selected({cuda()}, wish({"linux-aarch64"}, {"cuda_cccl"})) ==
      "cuda_cccl 12.4.127 of cuda 12.4.1 has no archive for linux-aarch64 | it has linux-sbsa, linux-x86_64; "
      "CUDA "
      "12.9 is the last release with linux-aarch64. From CUDA 13 on, linux-sbsa serves Jetson, too; before "
      "that "
      "its libraries have no code for Jetson's GPUs; PACKAGE@PLATFORM wants a package for one platform only");
  CHECK(selected({cuda()}, wish({"linux-sbsa"}, {"cuda_compat"}))
            .starts_with(
                "cuda_compat 12.4.3 of cuda 12.4.1 has no archive for linux-sbsa | it has linux-aarch64"));
}

TEST_CASE("a platform that a whole release lacks is an error, whatever is for all platforms") {
  CHECK(selected({cuda()}, wish({"linux-ppc64le"}))
            .starts_with("cuda 12.4.1 has no archive for linux-ppc64le"));
}

TEST_CASE("a package may be wanted for one of the platforms") {
  CHECK(selected({cuda()}, wish({"linux-x86_64", "linux-aarch64"}, {"cuda_compat@linux-aarch64"})) ==
        "cuda_compat 12.4.3 linux-aarch64");
  CHECK(selected({cuda()}, wish({"linux-x86_64"}, {"cuda_compat@linux-aarch64"}))
            .starts_with("package 'cuda_compat' is wanted for 'linux-aarch64'"));
}

TEST_CASE("a platform or package that is not there is an error with the nearest or the new name") {
  CHECK(selected({cuda()}, wish({"linux-x86-64"})) ==
        "no manifest has the platform 'linux-x86-64' | did you mean linux-x86_64?");
  CHECK(selected({cuda()}, wish({"aarch64-linux"})) ==
        "no manifest has the platform 'aarch64-linux' | NVIDIA's name for it is linux-sbsa or linux-aarch64");
  CHECK(selected({cuda()}, wish({"linux-sbsa"}, {"cuda_nvc"})) ==
        "there is no package 'cuda_nvc' in cuda 12.4.1 | did you mean cuda_nvcc?");
  CHECK(selected({cuda()}, wish({"linux-sbsa"}, {"cccl"})) ==
        "there is no package 'cccl' in cuda 12.4.1 | before CUDA 13.3 it is part of cuda_cccl");
  CHECK(selected({cudnn()}, wish({"linux-x86_64"}, {"cuda_cccl"})) ==
        "there is no package 'cuda_cccl' in cudnn 9.1.1 | since CUDA 13.3 it is cccl");
}

TEST_CASE("a lock has one release of a package, and one file of a release") {
  CHECK(selected({cuda("12.4.0"), cuda("12.4.1")}, wish({"linux-sbsa"}))
            .starts_with("cuda_nvcc for linux-sbsa is in cuda 12.4.0 and in cuda 12.4.1"));
  CHECK(selected({cuda(), cuda()}, wish({"linux-sbsa"}))
            .ends_with("cuda 12.4.1 is among the manifests twice | name it once"));
}

TEST_CASE("a product is that of the directory if the manifest's own name for it is unknown") {
  const std::string text = R"({"release_label": "0.1.0", "release_product": "cublasmp-v0-1", )" +
                           package_text("libcal", "0.4", {"linux-sbsa"}) + "}";
  const auto result =
      selection(facts(), std::vector{source_of("cublasmp/redistrib_0.1.0.json", text)}, wish({"linux-sbsa"}));
  REQUIRE_MESSAGE(result, result.error().message);
  CHECK(result->lock.manifests.front().product == "cublasmp");
  CHECK(
      selected({source_of("cutensorr/redistrib_1.json", "{" + package_text("a", "1", {"linux-sbsa"}) + "}")},
               wish({"linux-sbsa"}))
          .ends_with("did you mean cutensor? Otherwise name the URL with --base"));
  CHECK(selected({source_of("cuda/x.json", "{" + package_text("a", "1", {"linux-sbsa"}) + "}")},
                 wish({"linux-sbsa"}))
            .starts_with("cuda/x.json: the release is not known"));
}
