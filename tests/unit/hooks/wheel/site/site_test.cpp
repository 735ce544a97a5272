// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/hooks/wheel/judge/wheels.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::wheel;
using namespace hostpin::test;

TEST_CASE("members are installed where an installer puts them") {
  const WheelFile wheel = wheel_of("pkg");
  const auto site = Site::make(wheel, {}, "/env/lib/python3.12/site-packages");
  CHECK_FALSE(site); // there is no such directory
  const auto imagined = Site::make(wheel, {}, "");
  REQUIRE(imagined);
  const std::string& root = imagined->root();
  const std::string& prefix = imagined->prefix();
  CHECK(root == prefix + "/lib/python3/site-packages");
  CHECK(imagined->path_of(wheel, "pkg/_C.so") == root + "/pkg/_C.so");
  CHECK(imagined->path_of(wheel, "pkg-1.0.data/purelib/a.py") == root + "/a.py");
  CHECK(imagined->path_of(wheel, "pkg-1.0.data/platlib/a.so") == root + "/a.so");
  CHECK(imagined->path_of(wheel, "pkg-1.0.data/scripts/tool") == prefix + "/bin/tool");
  CHECK(imagined->path_of(wheel, "pkg-1.0.data/headers/a.h") == prefix + "/include/pkg/a.h");
  CHECK(imagined->path_of(wheel, "pkg-1.0.data/data/share/x") == prefix + "/share/x");
}

TEST_CASE("files are found by path, file name and soname") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg.libs/libx-1234.so.1", "libx.so.1");
  const auto site = Site::make(wheel, {}, "");
  REQUIRE(site);
  CHECK(site->file(site->root() + "/pkg/../pkg.libs/libx-1234.so.1") != nullptr);
  CHECK(site->file(site->root() + "/none") == nullptr);
  CHECK(site->named("libx.so.1").size() == 1);
  CHECK(site->named("libx-1234.so.1").size() == 1);
  CHECK(site->named("liby.so").empty());
}

TEST_CASE("requirements are followed through the wheels, and the extras of the metapackage by the table") {
  WheelFile wheel = wheel_of("pkg");
  wheel.requirements = {*read_requirement("torch"), *read_requirement("cuda-toolkit[cudart]==13.0.2"),
                        *read_requirement("nvidia-cublas; extra == 'fast'"), *read_requirement("numpy")};
  std::deque<WheelFile> others = {wheel_of("torch")};
  others[0].requirements = {*read_requirement("nvidia-nccl-cu13")};
  const auto site = Site::make(wheel, std::move(others), "");
  REQUIRE(site);
  const Required required = required_by(wheel, *site, tables().cuda_wheels, tables().packages);
  CHECK(required.names ==
        std::set<std::string>{"cuda-toolkit", "numpy", "nvidia-cuda-runtime", "nvidia-nccl-cu13", "torch"});
  CHECK(required.optional == std::set<std::string>{"nvidia-cublas"});
  CHECK(required.unknown == std::set<std::string>{"numpy"});
}

TEST_CASE("a required distribution of CUDA that was not given is assumed to be installed") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libcudart.so.13"});
  auto site = Site::make(wheel, {}, "");
  REQUIRE(site);
  site->assume(tables().cuda_wheels, {{"nvidia-cuda-runtime"}, {}, {}, {}, {}, {}});
  REQUIRE(site->named("libcudart.so.13").size() == 1);
  CHECK(site->named("libcudart.so.13").front()->path == site->root() + "/nvidia/cu13/lib/libcudart.so.13");
  CHECK(site->named("libcublas.so.13").empty());
}

TEST_CASE("of a required package the newest release is known that fits and brings the wheel's CUDA major") {
  const auto release = [](const char* requirement, int cuda) {
    const CudaPackage* const package = package_for(tables().packages, *read_requirement(requirement), cuda);
    return package == nullptr ? std::string("none") : to_full_string(package->releases.back());
  };
  CHECK(release("torch==2.11.0", 0) == "2.11.0");
  CHECK(release("torch==2.1.1", 0) == "2.1.2"); // a row of releases that are alike
  CHECK(release("torch", 12) == "2.10.0");
  CHECK(release("torch>=2.9,<2.12", 13) == "2.11.0");
  CHECK(release("torch>=2.9,<2.10", 13) == "2.9.1");
  CHECK(release("torch==2.6.0+cu118", 0) == "none");
  CHECK(release("torch==1.13.1", 0) == "none");
  CHECK(release("numpy", 0) == "none");
}

TEST_CASE("a required package that was not given is assumed with the wheels of CUDA that it requires") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libc10.so"});
  wheel.requirements = {*read_requirement("torch==2.11.0")};
  auto site = Site::make(wheel, {}, "");
  REQUIRE(site);
  const Required required = required_by(wheel, *site, tables().cuda_wheels, tables().packages);
  CHECK(required.unknown.empty());
  CHECK(required.uncertain.empty());
  CHECK(required.names.contains("nvidia-cuda-runtime"));
  site->assume(tables().cuda_wheels, required);
  CHECK(site->distributions().at("torch").is_assumed);
  REQUIRE(site->named("libc10_cuda.so").size() == 1);
  const SiteFile& library = *site->named("libc10_cuda.so").front();
  CHECK(library.path == site->root() + "/torch/lib/libc10_cuda.so");
  CHECK(library.image.rpath->find("$ORIGIN/../../nvidia/cu13/lib:") != std::string::npos);
  CHECK(library.image.rpath->ends_with(":$ORIGIN"));
  CHECK(site->named("libcudart.so.13").size() == 1);
  wheel.requirements = {*read_requirement("torch>=2.9")};
  const auto alone = Site::make(wheel, {}, "");
  CHECK(required_by(wheel, *alone, tables().cuda_wheels, tables().packages)
            .uncertain.contains("nvidia-cuda-runtime"));
}

TEST_CASE("sources of a directory are those directly in its packages, each with its distribution") {
  const Tree tree;
  const std::string root = std::filesystem::canonical(tree.root()).string();
  tree.write("libx-1.0.dist-info/METADATA", "Name: libx\nVersion: 1.0\n");
  tree.write("libx-1.0.dist-info/RECORD", "libx/__init__.py,,\nlibx/load.py,,\nlibx/sub/load.py,,\n");
  tree.write("libx-1.0.dist-info/other.json", "\"libother.so\"");
  tree.write("other-1.0.dist-info/METADATA", "Name: other\nVersion: 1.0\n");
  tree.write("other-1.0.dist-info/RECORD", "libx/other.json,,\n");
  tree.write("libx/__init__.py", "import liby\n");
  tree.write("libx/other.json", "\"libother.so\"");
  tree.write("libx/load.py", "ctypes.CDLL('libx.so')\n");
  tree.write("libx/plain.py", "import numpy\n");
  tree.write("libx/sub/load.py", "ctypes.CDLL('libz.so')\n");
  const WheelFile wheel = wheel_of("pkg");
  const auto site = Site::make(wheel, {}, root);
  REQUIRE(site);
  REQUIRE(site->sources().size() == 1);
  const SourceDirectory& directory = site->sources().at(root + "/libx");
  REQUIRE(directory.size() == 3);
  CHECK(directory.contains("")); // of plain.py
  const PythonSource& source = directory.at("libx");
  CHECK(source.opens);
  CHECK(source.libraries == std::set<std::string>{"libx.so"});
  CHECK(source.imports == std::set<std::string>{"liby"});
  CHECK(directory.at("other").libraries == std::set<std::string>{"libother.so"});
  CHECK(site->has_loading_code("libx"));
  CHECK_FALSE(site->has_loading_code("other"));
}
