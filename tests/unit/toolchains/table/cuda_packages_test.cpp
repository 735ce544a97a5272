// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/table/cuda_packages.hpp"
#include "toolchains/table/cuda_wheels.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::vector<CudaPackage> shipped() {
  auto packages = load_cuda_packages(DiskFiles(), hostpin::test::shipped_data());
  if (!packages)
    FAIL(packages.error().message);
  return packages.value_or(std::vector<CudaPackage>());
}

} // namespace

TEST_CASE("a package's library is known with the newest releases that have it") {
  const auto packages = shipped();
  const CudaPackage* const newest = package_with(packages, "libc10.so");
  REQUIRE(newest != nullptr);
  CHECK(newest->distribution == "torch");
  CHECK(newest->cuda == 13);
  CHECK(newest->directory == "torch/lib");
  CHECK(package_with(packages, "libnvfuser_codegen.so")->releases.front() == Version{2, 1, 0});
  CHECK(package_with(packages, "libgomp.so.1") == nullptr);
}

TEST_CASE(
    "each release is there once, and what its libraries need is its own or of a wheel that it requires") {
  std::set<std::pair<std::string, Version>> releases;
  const auto wheels = load_cuda_wheels(DiskFiles(), hostpin::test::shipped_data()).value();
  for (const CudaPackage& package : shipped()) {
    REQUIRE_FALSE(package.releases.empty());
    CAPTURE(to_full_string(package.releases.front()));
    CHECK(std::is_sorted(package.releases.begin(), package.releases.end()));
    for (const Version& release : package.releases)
      CHECK(releases.emplace(package.distribution, release).second);
    for (const std::string& library : package.imported)
      CHECK(package.has(library));
    for (const auto& [library, needed] : package.needed) {
      CHECK(package.has(library));
      for (const std::string& name : needed) {
        CAPTURE(name);
        const auto rows = wheels_with(wheels, name);
        CHECK((package.has(name) || std::any_of(rows.begin(), rows.end(), [&](const CudaWheel* row) {
                 return row->cuda == package.cuda;
               })));
      }
    }
  }
}

TEST_CASE("a package's row without releases, or with a release that is no version, is an error") {
  const std::string row =
      "[[package]]\ndistribution = \"d\"\ndirectory = \"x\"\ncuda = 13\nlibraries = [\"l\"]\n"
      "imported = [\"l\"]\nrequires = [\"r\"]\nsource = \"s\"\n";
  const auto error = [](const std::string& rows) {
    const auto read = load_cuda_packages(FilesMap({{"d/cuda-packages.toml", rows}}), "d");
    return read ? std::string("none") : read.error().message;
  };
  CHECK(error(row + "releases = [\"1.0\"]\nneeded = { l = [\"m\"] }\n") == "none");
  CHECK(error(row).find("releases") != std::string::npos);
  CHECK(error(row + "releases = []\n").find("empty") != std::string::npos);
  CHECK(error(row + "releases = [\"new\"]\n").find("not a version") != std::string::npos);
  CHECK(error(row + "releases = [\"1.0\"]\nneeded = { l = 1 }\n") != "none");
}
