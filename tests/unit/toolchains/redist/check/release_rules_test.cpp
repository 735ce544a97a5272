// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/check/manifests.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

std::string found(const std::vector<CheckedManifest>& manifests) {
  std::vector<Finding> findings;
  check_releases(manifests, real_facts(), findings);
  return listed(findings);
}

const std::string path = "cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.4.131-archive.tar.xz";

CheckedManifest release(const std::string& label, const std::string& packages) {
  return checked(manifest_json(packages, label), "cuda/redistrib_" + label + ".json");
}

std::string one_archive(const std::string& sha256, const std::string& md5, const std::string& size) {
  return R"("cuda_nvcc": {"version": "12.4.131", "linux-x86_64": )" + archive_json(path, sha256, md5, size) +
         '}';
}

} // namespace

TEST_CASE("one path with two hashes is found; it is a mistaken hash if MD5 and size agree") {
  const CheckedManifest first = release("12.4.0", one_archive(hash_a, md5_a, "52"));
  CHECK(found({first, release("12.4.1", one_archive(hash_a, md5_a, "52"))}).empty());
  CHECK(found({first, release("12.4.1", one_archive(hash_b, md5_a, "52"))}) == "mistaken-hash " + path);
  CHECK(found({first, release("12.4.1", one_archive(hash_b, md5_a, "53"))}) == "two-hashes " + path);
  CHECK(found({first, release("12.4.1", one_archive(hash_b, std::string(32, 'b'), "52"))}) ==
        "two-hashes " + path);
  CHECK(found({first, release("12.4.1", one_archive(hash_a, md5_a, "53"))}) == "two-hashes " + path);
}

TEST_CASE("one content under two names is found") {
  const std::string twice = package_json("cuda_nvcc") + ',' + package_json("cuda_cccl", "12.4.127");
  CHECK(found({release("12.4.1", twice)}).starts_with("duplicate-content cuda_cccl/"));
}

TEST_CASE("two labels of one release are found") {
  CHECK(found({release("12.4.1", package_json("a")), release("12.4.1.1", package_json("a"))}) ==
        "two-labels 12.4.1.1");
  CHECK(found({release("12.4.1", package_json("a")), release("12.4.10", package_json("a"))}).empty());
}

TEST_CASE("a platform that a release has no more is found, whatever the order of the files") {
  const std::string both =
      package_json("a", "1", "linux-sbsa", hash_a) + ',' + package_json("b", "1", "linux-x86_64", hash_b);
  const std::string one = package_json("a", "1", "linux-sbsa", hash_a) + ',' +
                          package_json("b", "1", "linux-sbsa", std::string(64, 'c'));
  CHECK(found({release("12.10.0", one), release("12.9.0", both)}) == "lost-platform linux-x86_64");
  CHECK(found({release("12.9.0", one), release("12.10.0", both)}).empty());
}

TEST_CASE("a package that is renamed, split or gone is found, unless only a platform is lost") {
  const auto pair_of = [](const std::string& package) {
    return package + ',' + package_json("b", "1", "linux-x86_64", hash_b);
  };
  CHECK(found({release("12.9.0", pair_of(package_json("cuda_nvprof"))),
               release("13.0.0", package_json("b", "1", "linux-x86_64", hash_b))}) ==
        "renamed-package cuda_nvprof");
  CHECK(found({release("12.9.0", pair_of(package_json("cuda_nvcc"))),
               release("13.0.0", pair_of(package_json("cuda_nvcc")))}) == "renamed-package cuda_nvcc");
  CHECK(found({release("13.0.0", pair_of(package_json("cuda_nvcc"))),
               release("13.0.1", pair_of(package_json("cuda_nvcc")))})
            .empty());
  CHECK(found({release("12.2.0", pair_of(package_json("cuda_compat", "1", "linux-aarch64"))),
               release("12.3.0", package_json("b", "1", "linux-x86_64", hash_b))}) ==
        "lost-platform linux-aarch64");
}

TEST_CASE("a manifest that is not the locked one is found, with the entries that changed") {
  const CheckedManifest manifest = release("12.4.1", package_json("cuda_nvcc"));
  Lock lock;
  lock.manifests.push_back({"cuda", "12.4.1", {}, manifest.sha256, "https://example.org/"});
  lock.archives.push_back(
      {"cuda", "12.4.1", "cuda_nvcc", "12.4.131", "linux-x86_64", {}, {}, path, hash_b, 52, {}});
  lock.archives.push_back(
      {"cuda", "12.4.1", "cuda_gdb", "12.4.127", "linux-x86_64", {}, {}, "g.tar.xz", hash_a, 52, {}});
  std::vector<Finding> findings;
  CHECK(check_against(lock, std::vector{manifest}, findings) == 1);
  CHECK(findings.empty()); // the same bytes
  lock.manifests[0].sha256 = hash_a;
  CHECK(check_against(lock, std::vector{manifest}, findings) == 1);
  CHECK(listed(findings) ==
        "replaced-manifest 12.4.1; replaced-manifest g.tar.xz; replaced-manifest " + path);
  lock.archives = {{"cuda", "12.4.1", "cuda_nvcc", "12.4.131", "linux-x86_64", {}, {}, path, hash_a, 51, {}}};
  findings.clear();
  check_against(lock, std::vector{manifest}, findings);
  CHECK(findings.back().explanation ==
        "The size of cuda_nvcc 12.4.131 linux-x86_64 is 52, and 51 was locked.");
  lock.manifests[0].label = "12.4.2";
  CHECK(check_against(lock, std::vector{manifest}, findings) == 0);
  lock.manifests[0].url = manifest.manifest.file; // another release is served at the URL that was locked
  CHECK(check_against(lock, std::vector{manifest}, findings) == 1);
}

TEST_CASE("a manifest that claims to be a part of the locked one of another product or release is found") {
  Lock lock;
  lock.manifests.push_back({"cuda", "12.4.1", {}, hash_a, "https://example.org/"});
  for (const auto& [product, label] : {std::pair{"cudnn", "12.4.1"}, std::pair{"cuda", "12.4.0"}}) {
    CheckedManifest one = checked(manifest_json(package_json("cuda_nvcc"), label, product), "redistrib.json");
    std::vector<Finding> findings;
    CHECK(check_against(lock, std::vector{one}, findings) == 0);
    one.manifest.reduced_from.sha256.value = hash_a;
    CHECK(check_against(lock, std::vector{one}, findings) == 1);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].explanation == "It is of " + std::string(product) + ' ' + label +
                                         ", and claims to be a part of the locked manifest of cuda 12.4.1.");
  }
}

TEST_CASE("a locked manifest is known by the product of its directory, as in the lock") {
  const CheckedManifest named = checked(manifest_json(package_json("libcal"), "0.1.0", "cublasmp-v0-1"),
                                        "cublasmp/redistrib_0.1.0.json");
  CheckedManifest bare = checked("{" + package_json("libcal") + "}", "redistrib_0.1.0.json");
  bare.manifest.path = "/m/cublasmp/redistrib_0.1.0.json";
  Lock lock;
  lock.manifests.push_back({"cublasmp", "0.1.0", {}, hash_a, "https://example.org/"});
  for (const CheckedManifest& one : {named, bare}) {
    std::vector<Finding> findings;
    CHECK(check_against(lock, std::vector{one}, findings) == 1);
    CHECK(listed(findings) == "replaced-manifest 0.1.0");
  }
}
