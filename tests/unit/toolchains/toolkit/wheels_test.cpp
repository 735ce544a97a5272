// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/binary/stub_library.hpp"
#include "toolchains/toolkit/wheels.hpp"

#include <elf.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::test;

namespace {

const std::string site = "/venv/lib/python3.12/site-packages";
const std::string root = site + "/nvidia/cu13";

FakeFiles whole() {
  FakeFiles files;
  for (const char* const name :
       {"bin/cudafe++", "include/crt/host_config.h", "nvvm/bin/cicc", "nvvm/libdevice/libdevice.10.bc",
        "include/cuda_runtime.h", "lib/libcudadevrt.a", "lib/libcudart_static.a"})
    files.file(root + '/' + name);
  for (const char* const wheel :
       {"nvidia_cuda_nvcc-13.0.88", "nvidia_cuda_runtime-13.0.96", "nvidia_nvvm-13.0.88"})
    files.file(site + '/' + wheel + ".dist-info/RECORD");
  return files;
}

const Version release{13, 0, 88};

} // namespace

TEST_CASE("a toolkit of wheels is told by its path, and has libraries that its nvcc does not search") {
  CHECK(is_made_of_wheels(root));
  for (const char* const other :
       {"/usr/local/cuda-13.0", "/opt/nvidia/cuda", "/opt/nvidia/current", "/usr", "/"})
    CHECK_FALSE(is_made_of_wheels(other));
  CHECK(wheel_libraries(root, whole()) == root + "/lib");
  CHECK(wheel_libraries(root, whole().file(root + "/lib64/libcudart_static.a")).empty());
  CHECK(wheel_libraries("/usr/local/cuda-13.0", whole()).empty());
}

TEST_CASE("whole wheels of one release lack nothing") {
  CHECK_FALSE(lack_of_wheels(root, release, whole()));
}

TEST_CASE("the wheel of a missing part is named") {
  FakeFiles files;
  files.file(root + "/bin/cudafe++").file(root + "/include/crt/host_config.h");
  CHECK(lack_of_wheels(root, release, files) ==
        "is incomplete: it has no nvvm/bin/cicc (pip install 'nvidia-nvvm==13.0.*')");
  CHECK_FALSE(lack_of_wheels("/usr/local/cuda", release, files));
}

TEST_CASE("wheels of different releases are named") {
  CHECK(lack_of_wheels(root, release, whole().file(site + "/nvidia_cuda_crt-13.1.80.dist-info/RECORD")) ==
        "is made of wheels of different releases: nvcc 13.0.88, nvidia-cuda-crt 13.1.80 (pip install "
        "'nvidia-cuda-crt==13.0.*')");
}

TEST_CASE("stubs of the driver have what its headers declare, with the names that macros make") {
  FakeFiles files = whole();
  const std::string elf = std::string("\x7f"
                                      "ELF\2\1\1",
                                      7) +
                          std::string(11, '\0') + '\x3e' + '\0';
  files.file(root + "/bin/bin2c", elf)
      .file(root + "/include/cuda.h", "typedef int CUresult; typedef unsigned cuuint32_t;\n"
                                      "#define cuMemAlloc cuMemAlloc_v2\n"
                                      "#define cuMemcpy __CUDA_API_PTDS(cuMemcpy)\n"
                                      "CUresult CUDAAPI cuMemAlloc(int); CUresult xcuNone(void);\n");
  CHECK(lacking_stubs(root, files) == std::vector<std::string>{"libcuda.so"});
  const auto stubs = driver_stubs(root, files);
  REQUIRE(stubs.size() == 1);
  CHECK(stubs.at("libcuda.so") ==
        binary::stub_bytes(
            {EM_X86_64,
             "libcuda.so.1",
             {{"cuMemAlloc", {}}, {"cuMemAlloc_v2", {}}, {"cuMemcpy", {}}, {"cuMemcpy_ptds", {}}}}));
  // a wheel with its own, as that of NVML
  CHECK(driver_stubs(root, files.file(root + "/lib/stubs/libcuda.so")).empty());
  CHECK(driver_stubs("/usr/local/cuda", files).empty());
}
