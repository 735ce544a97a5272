// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/check/manifests.hpp"
#include "toolchains/redist/check/manifest_rules.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

std::string found(const std::string& text, const std::string& file = "cuda/redistrib_12.4.1.json") {
  std::vector<Finding> findings;
  const auto manifest = read_manifest(text, file, findings);
  REQUIRE(manifest);
  check_manifest(*manifest, real_facts(), findings);
  return listed(findings);
}

/// Of a manifest of one package with one text replaced.
std::string found_with(const std::string& from, const std::string& to) {
  std::string text = manifest_json(package_json("cuda_nvcc"));
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return found(text.replace(at, from.size(), to));
}

const std::string nvcc_path = "cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.4.131-archive.tar.xz";

std::string with_variants(const std::string& listed_variants, const std::string& name_variant = "cuda12") {
  return manifest_json(
      R"("cudnn": {"name": "N", "license": "cudnn", "license_path": "cudnn/L", "version": "9.1.1.17", "cuda_variant": [)" +
          listed_variants + R"(], "linux-sbsa": {"cuda12": )" +
          archive_json("cudnn/linux-sbsa/cudnn-linux-sbsa-9.1.1.17_" + name_variant + "-archive.tar.xz") +
          "}}",
      "9.1.1", "cudnn");
}

} // namespace

TEST_CASE("nothing is found in a manifest in NVIDIA's form") {
  CHECK(found(manifest_json(package_json("cuda_nvcc") + ',' +
                            package_json("cuda_cudart", "12.4.127", "windows-x86_64")))
            .empty());
  CHECK(found(with_variants("\"12\""), "cudnn/redistrib_9.1.1.json").empty());
}

TEST_CASE("a label, a product and a date that are missing or wrong are found") {
  CHECK(found_with("\"release_label\": \"12.4.1\",", "") == "missing-label release_label");
  CHECK(found_with("\"release_product\": \"cuda\",", "") == "missing-label release_product");
  CHECK(found_with("12.4.1", "12.4.2") == "label-mismatch 12.4.2");
  CHECK(found_with("\"release_product\": \"cuda\"", "\"release_product\": \"cublasmp-v0-1\"") ==
        "product-mismatch cublasmp-v0-1");
  CHECK(found_with("2024-04-16", "16.4.2024") == "wrong-type release_date");
  CHECK(found_with("\"release_date\": \"2024-04-16\",", "") == "wrong-type release_date");
}

TEST_CASE("a reduced manifest is not a part of another product's manifest") {
  const auto found_of = [](const std::string& base, const std::string& product = "cuda") {
    return found(manifest_json(R"("release_reduced_from": {"base": ")" + base + R"(", "sha256": ")" + hash_a +
                                   "\"},\n" + package_json("cuda_nvcc"),
                               "12.4.1", product),
                 "downloads/redistrib_12.4.1.json");
  };
  CHECK(found_of("https://developer.download.nvidia.com/compute/cuda/redist/").empty());
  CHECK(found_of("https://mirror.example.org/cudnn/redist/").empty()); // whose directories are not known
  CHECK(found_of("https://developer.download.nvidia.com/compute/cudnn/redist/") ==
        "product-mismatch release_reduced_from");
  CHECK(found_of("https://developer.download.nvidia.com/compute/cuda/redist/", "cudnn") ==
        "product-mismatch release_reduced_from");
  std::vector<Finding> findings;
  const auto manifest = read_manifest(
      manifest_json(
          R"("release_reduced_from": {"url": "https://developer.download.nvidia.com/compute/cudnn/redist/redistrib_9.1.1.json"},)" +
          package_json("cuda_nvcc")),
      "redistrib_12.4.1.json", findings);
  check_manifest(*manifest, real_facts(), findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::error);
  CHECK(findings[0].explanation ==
        "The product is 'cuda', and the manifest that this one claims to be a part of is of 'cudnn'.");
}

TEST_CASE("a product is compared with a directory of products only") {
  CHECK(found(manifest_json(package_json("cuda_nvcc")), "downloads/redistrib_12.4.1.json").empty());
  CHECK(found(manifest_json(package_json("cuda_nvcc"), "12.4.1", "cudaa"),
              "downloads/redistrib_12.4.1.json") == "product-mismatch cudaa");
}

TEST_CASE("malformed hashes and unsafe paths are found") {
  CHECK(found_with(hash_a, std::string(63, 'a')) == "malformed-hash sha256");
  CHECK(found_with(hash_a, std::string(64, 'A')) == "malformed-hash sha256");
  CHECK(found_with('"' + md5_a + '"', "\"\"") == "malformed-hash md5");
  CHECK(found_with(nvcc_path, "../" + nvcc_path) == "unsafe-path ../" + nvcc_path);
  CHECK(found_with(nvcc_path, "https://example.org/x") == "unsafe-path https://example.org/x");
  CHECK(found_with("cuda_nvcc/LICENSE.txt", "/etc/passwd") == "unsafe-path /etc/passwd");
}

TEST_CASE("names that do not fit package, version, platform and format are found") {
  CHECK(found_with("x86_64/cuda_nvcc-", "x86_64/nvidia-nvcc-").starts_with("archive-name"));
  CHECK(found_with("-12.4.131-archive", "-12.4.99-archive").starts_with("version-in-name"));
  CHECK(found_with("-12.4.131-archive", "-12.4.131.2-archive").starts_with("version-in-name"));
  CHECK(found_with("cuda_nvcc/linux-x86_64/", "cuda_nvcc/source/").starts_with("platform-in-path"));
  CHECK(found_with("cuda_nvcc-linux-x86_64-", "cuda_nvcc-linux-sbsa-").starts_with("platform-in-path"));
  CHECK(found_with(".tar.xz", ".zip").starts_with("wrong-format"));
  CHECK(found_with(".tar.xz", ".exe").starts_with("wrong-format"));
  CHECK(found(manifest_json(package_json("a", "1", "linux-riscv64"))) == "platform-in-path linux-riscv64");
}

TEST_CASE("variants that are listed and not there, and the reverse, are found") {
  const std::string file = "cudnn/redistrib_9.1.1.json";
  CHECK(found(with_variants("\"11\", \"12\""), file) == "missing-variant linux-sbsa cuda11");
  CHECK(found(with_variants(""), file) == "missing-variant cuda12");
  CHECK(found(with_variants("\"12\"", "cuda11"), file).starts_with("wrong-variant cudnn/"));
  CHECK(found_with("-archive", "_cuda12-archive").starts_with("wrong-variant"));
}

TEST_CASE("a variant may be of a minor release, in the manifest and in the name") {
  const auto compat = [](const std::string& name_variant) {
    return found(
        manifest_json(
            R"("cuda_compat": {"name": "N", "license": "NVIDIA Driver", "license_path": "l", "version": "610.43.02", "cuda_variant": ["13.3"], "linux-sbsa": {"cuda13.3": )" +
                archive_json("cuda_compat/linux-sbsa/cuda_compat-linux-sbsa-610.43.02_" + name_variant +
                             "-archive.tar.xz") +
                "}}",
            "13.3.0"),
        "cuda/redistrib_13.3.0.json");
  };
  CHECK(compat("cuda13.3").empty());
  CHECK(compat("cuda13.2").starts_with("wrong-variant"));
}

TEST_CASE("names and formats that are new are warnings, if there is a hash") {
  const auto severity = [](std::string text, const std::string& from, const std::string& to,
                           const std::string& file) {
    std::vector<Finding> findings;
    text.replace(text.find(from), from.size(), to);
    const auto manifest = read_manifest(text, file, findings);
    REQUIRE(manifest);
    check_manifest(*manifest, real_facts(), findings);
    sort(findings);
    std::string all;
    for (const Finding& one : findings)
      all += std::string(text_of(one.rule).name) + ' ' + std::string(to_string(one.severity)) + '\n';
    return all;
  };
  const std::string cuda = "cuda/redistrib_12.4.1.json", cudnn = "cudnn/redistrib_9.1.1.json";
  CHECK(severity(manifest_json(package_json("cuda_nvcc")), ".tar.xz", ".tar.lz4", cuda) ==
        "wrong-format warning\n");
  CHECK(severity(manifest_json(package_json("cuda_nvcc")), ".tar.xz", ".zip", cuda) ==
        "wrong-format error\n");
  CHECK(severity(manifest_json(package_json("cuda_nvcc", "12.4.131", "linux-x86_64", "a")), ".tar.xz",
                 ".tar.lz4", cuda) == "wrong-format error\nmalformed-hash error\n");
  CHECK(severity(with_variants("\"12\""), "_cuda12-", "-", cudnn) == "wrong-variant warning\n");
  CHECK(severity(with_variants("\"12\""), "_cuda12-", "_cuda11-", cudnn) == "wrong-variant error\n");
  const std::string path = "cudnn/linux-sbsa/cudnn-linux-sbsa-9.1.1.17_cuda12.4-archive.tar.xz";
  CHECK(severity(with_variants("\"12\""), "{\"cuda12\": ",
                 "{\"relative_path\": \"" + path + "\", \"sha256\": \"" + hash_b + "\", \"md5\": \"" + md5_a +
                     "\", \"size\": \"5\", \"cuda12\": ",
                 cudnn) == "wrong-variant warning\n");
}

TEST_CASE("TensorRT's own names are known") {
  const std::string packages =
      R"("tensorrt": {"name": "N", "license": "TensorRT", "version": "10.0.0.6", "cuda_variant": ["12"], "linux-sbsa": {"cuda12": )" +
      archive_json("tensorrt/10.0.0/tars/TensorRT-10.0.0.6.Ubuntu-22.04.aarch64-gnu.cuda-12.4.tar.gz") + "}}";
  const std::string text = manifest_json(packages, "10.0.0", "tensorrt"),
                    file = "tensorrt/redistrib_10.0.0.json";
  CHECK(found(text, file).empty());
  CHECK(
      found(
          manifest_json(
              R"("tensorrt": {"name": "N", "license": "TensorRT", "version": "11.3.0.99", "cuda_variant": ["13"], "linux-sbsa": {"cuda13": )" +
                  archive_json("tensorrt/11.3.0/tars/TensorRT-Enterprise-11.3.0.99-Linux-aarch64-cuda-13.4-"
                               "Release-external.tar.zst") +
                  "}}",
              "11.3.0", "tensorrt"),
          "tensorrt/redistrib_11.3.0.json")
          .empty());
  std::string other = text;
  CHECK(found(other.replace(other.find("aarch64-gnu"), 7, "x86_64x"), file).starts_with("platform-in-path"));
}

TEST_CASE("keys that are missing or of no use are found") {
  CHECK(found_with("\"name\": \"N\", ", "") == "wrong-type name");
  CHECK(found_with("\"license_path\": \"cuda_nvcc/LICENSE.txt\", ", "") == "wrong-type license_path");
  CHECK(found_with(", \"size\": \"52\"", "") == "wrong-type size");
  CHECK(found_with("\"52\"", "\"0\"") == "wrong-type size");
  CHECK(found_with("CUDA Toolkit", "Public domain") == "unknown-license Public domain");
  CHECK(found_with("\"license\": \"CUDA Toolkit\", ", "") == "unknown-license license");
  CHECK(found(manifest_json(
            "\"a\": {\"name\": \"N\", \"license\": \"MIT\", \"license_path\": \"l\", \"version\": \"1\"}")) ==
        "wrong-type archives");
}

TEST_CASE("a hash that is known to be wrong is found without another manifest") {
  const std::string path = "cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.2.91-archive.tar.xz";
  const std::string text = manifest_json(
      package_json("cuda_nvcc", "12.2.91", "linux-x86_64", "c899c58d" + std::string(56, '0')), "12.2.0");
  CHECK(found(text, "cuda/redistrib_12.2.0.json") == "two-hashes " + path);
}
