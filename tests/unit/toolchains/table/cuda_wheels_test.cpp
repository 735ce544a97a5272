// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/table/cuda_wheels.hpp"

#include <set>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::vector<CudaWheel> shipped() {
  auto wheels = load_cuda_wheels(DiskFiles(), hostpin::test::shipped_data());
  if (!wheels)
    FAIL(wheels.error().message);
  return wheels.value_or(std::vector<CudaWheel>());
}

} // namespace

TEST_CASE("a library's distribution and directory are those of its CUDA major") {
  const auto wheels = shipped();
  const auto twelve = wheels_with(wheels, "libcudart.so.12"),
             thirteen = wheels_with(wheels, "libcudart.so.13");
  REQUIRE(twelve.size() == 1);
  REQUIRE(thirteen.size() == 1);
  CHECK(twelve[0]->distribution == "nvidia-cuda-runtime-cu12");
  CHECK(twelve[0]->directory == "nvidia/cuda_runtime/lib");
  CHECK(twelve[0]->major == 0);
  CHECK(thirteen[0]->distribution == "nvidia-cuda-runtime");
  CHECK(thirteen[0]->directory == "nvidia/cu13/lib");
  CHECK(thirteen[0]->major == 13);
  CHECK(to_string(thirteen[0]->glibc) == "2.17");
  CHECK(wheels_with(wheels, "libcurand.so.10").size() == 2);
  CHECK(wheels_with(wheels, "libcuda.so.1").empty());
  CHECK(cuda_wheel_named(wheels, "nvidia-curand")->major == 10);
  CHECK(cuda_wheel_named(wheels, "numpy") == nullptr);
}

TEST_CASE("each distribution is there once, with a source and libraries") {
  std::set<std::string> names;
  for (const CudaWheel& wheel : shipped()) {
    CAPTURE(wheel.distribution);
    CHECK(names.insert(wheel.distribution).second);
    CHECK((wheel.cuda == 12 || wheel.cuda == 13));
    CHECK_FALSE(wheel.libraries.empty());
    CHECK_FALSE(wheel.source.empty());
    CHECK_FALSE(wheel.directory.ends_with('/'));
  }
}

TEST_CASE("functions have the first version of a distribution that has them") {
  const auto wheels = shipped();
  const CudaWheel& twelve = *cuda_wheel_named(wheels, "nvidia-cuda-runtime-cu12");
  const CudaWheel& thirteen = *cuda_wheel_named(wheels, "nvidia-cuda-runtime");
  CHECK(twelve.first_version_with("cudaMalloc") == Version());
  CHECK(twelve.first_version_with("cudaLibraryLoadData") == Version{12, 8, 0});
  CHECK(twelve.first_version_with("cudaStreamBeginCaptureToGraph_ptsz") == Version{12, 3, 0});
  CHECK(thirteen.first_version_with("cudaLibraryLoadData") == Version());
  CHECK(thirteen.first_version_with("cudaGreenCtxCreate") == Version{13, 1, 0});
  for (const CudaWheel& wheel : wheels)
    for (const auto& [function, version] : wheel.first_versions) {
      CAPTURE(function);
      CHECK(version > Version{wheel.cuda, 0, 0});
      CHECK(version.major == wheel.cuda);
    }
}

TEST_CASE("a row without a major, or with another one than a number, is an error") {
  const std::string row =
      "[[wheel]]\ndistribution = \"d\"\ndirectory = \"x\"\nlibraries = [\"l\"]\nsource = \"s\"\n";
  const auto error = [](const std::string& rows) {
    const auto read = load_cuda_wheels(FilesMap({{"d/cuda-wheels.toml", rows}}), "d");
    return read ? std::string("none") : read.error().message;
  };
  CHECK(error(row + "cuda = 13\n") == "none");
  CHECK(error(row + "cuda = 13\nglibc = \"2.27\"\n") == "none");
  CHECK(error(row + "cuda = 13\nglibc = \"new\"\n").find("glibc") != std::string::npos);
  CHECK(error(row).find("cuda") != std::string::npos);
  CHECK(error(row + "cuda = -1\n").find("whole number") != std::string::npos);
  CHECK(error(row + "cuda = \"13\"\n").find("whole number") != std::string::npos);
}
