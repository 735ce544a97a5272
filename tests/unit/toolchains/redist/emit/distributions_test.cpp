// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/emit/locks.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

TEST_CASE("each line of a source of conda has the selector of its platform") {
  const std::string sbsa = "  # [aarch64 and arm_variant_type == 'sbsa']\n";
  CHECK(emitted(conda_text, cudnn_lock())
            .ends_with("source:\n  - url: \"https://example.org/cudnn/cudnn/linux-sbsa/c.tar.xz\"" + sbsa +
                       "    sha256: \"" + std::string(64, 'a') + "\"" + sbsa + "    folder: \"cudnn\"" +
                       sbsa +
                       "  - url: \"https://example.org/cudnn/cudnn_samples/source/s.zip\"\n    sha256: \"" +
                       std::string(64, 'b') + "\"\n    folder: \"cudnn_samples\"\n"));
}

TEST_CASE("a platform that conda has no selector for is refused") {
  for (const char* const platform : {"windows-arm64", "linux-new"}) {
    Lock lock = cudnn_lock();
    lock.archives[0].platform = platform;
    CHECK(emitted(conda_text, lock)
              .starts_with("no selector of conda is known for the platform " + std::string(platform) +
                           " | name another"));
  }
  Lock all = cudnn_lock();
  all.archives[0].platform = "linux-all";
  CHECK(emitted(conda_text, all).find("c.tar.xz\"  # [linux]\n") != std::string::npos);
}

TEST_CASE("Spack gets an external package for each product that it knows") {
  CHECK(
      emitted(spack_text, cudnn_lock(), "/opt/x")
          .ends_with("packages:\n  cudnn:\n    externals:\n    - spec: \"cudnn@9.1.1.17-12\"\n      prefix: "
                     "\"/opt/x\"\n    buildable: false\n"));
  Lock cuda = cudnn_lock();
  cuda.manifests[0].product = cuda.archives[0].product = cuda.archives[1].product = "cuda";
  CHECK(emitted(spack_text, cuda, "/opt/x").find("spec: \"cuda@9.1.1\"") != std::string::npos);
  for (const auto& [product, version] : {std::pair("cudss", "9.1.1"), std::pair("cusparselt", "9.1.1-12"),
                                         std::pair("cutensor", "9.1.1.17-12")}) {
    cuda.manifests[0].product = cuda.archives[0].product = cuda.archives[1].product = product;
    CHECK(emitted(spack_text, cuda, "/opt/x").find(std::string("spec: \"") + product + '@' + version + '"') !=
          std::string::npos);
  }
  std::swap(cuda.archives[0], cuda.archives[1]); // what has no variant comes first
  CHECK(emitted(spack_text, cuda, "/opt/x").find("cutensor@9.1.1.17-12") != std::string::npos);
}

TEST_CASE("an external package has one prefix and one platform, and is one of Spack's") {
  CHECK(emitted(spack_text, cudnn_lock()).starts_with("an external package of Spack needs a prefix"));
  Lock two = cudnn_lock();
  two.archives[1].platform = "linux-x86_64";
  CHECK(emitted(spack_text, two, "/opt/x").starts_with("the lock is for several platforms"));
  Lock other = cudnn_lock();
  other.manifests[0].product = other.archives[0].product = other.archives[1].product = "nvcomp";
  CHECK(emitted(spack_text, other, "/opt/x").starts_with("no product of the lock has a package in Spack"));
  Lock odd = cudnn_lock();
  odd.archives[0].version = "1 +x";
  CHECK(emitted(spack_text, odd, "/opt/x").starts_with("'1 +x-12' is not a version for Spack"));
}
