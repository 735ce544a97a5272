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

TEST_CASE("the wheels of all missing parts are named") {
  FakeFiles files;
  files.file(root + "/bin/cudafe++").file(root + "/include/crt/host_config.h");
  CHECK(lack_of_wheels(root, release, files) ==
        "is incomplete: it has no nvvm/bin/cicc, include/cuda_runtime.h (pip install 'nvidia-nvvm==13.0.*' "
        "'nvidia-cuda-runtime==13.0.*')");
  CHECK_FALSE(lack_of_wheels("/usr/local/cuda", release, files));
}

TEST_CASE("a wheel that is installed without its files is installed again") {
  FakeFiles files;
  for (const char* const name : {"bin/cudafe++", "include/crt/host_config.h", "nvvm/bin/cicc",
                                 "nvvm/libdevice/x", "include/cuda_runtime.h", "lib/libcudadevrt.a"})
    files.file(root + '/' + name);
  files.file(site + "/nvidia_cuda_runtime-13.0.96.dist-info/RECORD");
  CHECK(lack_of_wheels(root, release, files) ==
        "is incomplete: it has no lib/libcudart_static.a of nvidia-cuda-runtime 13.0.96, which is installed "
        "(pip install --force-reinstall --no-deps 'nvidia-cuda-runtime==13.0.*')");
}

TEST_CASE("all wheels of other releases than the runtime's are named, with one command") {
  CHECK(lack_of_wheels(root, release, whole().file(site + "/nvidia_cuda_crt-13.1.80.dist-info/RECORD")) ==
        "is made of wheels of different releases: nvidia-cuda-runtime 13.0.96, but nvidia-cuda-crt 13.1.80 "
        "(pip install 'nvidia-cuda-crt==13.0.*')");
  // nvcc of the newest release, next to the runtime that PyTorch is pinned to
  CHECK(lack_of_wheels(root, {13, 5, 37}, whole().file(site + "/nvidia_cuda_crt-13.5.37.dist-info/RECORD")) ==
        "is made of wheels of different releases: nvidia-cuda-runtime 13.0.96, but nvidia-cuda-nvcc 13.5.37, "
        "nvidia-cuda-crt 13.5.37 (pip install 'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-crt==13.0.*')");
}

TEST_CASE("two versions of one wheel are wheels of different releases") {
  FakeFiles files = whole();
  files.file(site + "/nvidia_nvvm-13.5.37.dist-info/RECORD");
  CHECK(lack_of_wheels(root, release, files) ==
        "is made of wheels of different releases: nvidia-cuda-runtime 13.0.96, but nvidia-nvvm 13.0.88 and "
        "13.5.37 (pip install --force-reinstall --no-deps 'nvidia-nvvm==13.0.*')");
}

TEST_CASE("a directory around a toolkit of wheels leads to it") {
  FakeFiles files;
  files.file(root + "/bin/nvcc").file("/venv/bin/python3").file("/venv/lib/libx.so");
  const std::string text = "has no bin/nvcc; the toolkit of NVIDIA's wheels is " + root;
  for (const std::string& named : {site, site + "/nvidia", std::string("/venv"), site + "/nvidia/cudnn"})
    CHECK(wheels_without_nvcc(named, files) == text);
  for (const char* const other : {"/", "/usr/local/cuda", "/venv/lib"})
    CHECK(wheels_without_nvcc(other, files).empty());
}

TEST_CASE("libraries of wheels without a compiler are explained, with the wheels that it takes") {
  FakeFiles files;
  files.file(root + "/lib/libcudart.so.13");
  CHECK(wheels_without_nvcc(root, files) ==
        "has no bin/nvcc: of NVIDIA's wheels, the compiler's are not installed (pip install "
        "'cuda-toolkit[nvcc,crt,cudart,cccl,nvvm]==13.*')");
  for (const char* const name : {"include/cuda_runtime.h", "lib/libcudadevrt.a", "lib/libcudart_static.a"})
    files.file(root + '/' + name);
  files.file(site + "/nvidia_cuda_runtime-13.2.86.dist-info/RECORD");
  CHECK(wheels_without_nvcc(site, files) ==
        "has no bin/nvcc: of NVIDIA's wheels, the compiler's are not installed (pip install "
        "'nvidia-cuda-nvcc==13.2.*' 'nvidia-cuda-crt==13.2.*' 'nvidia-nvvm==13.2.*')");
}

TEST_CASE("wheels for CUDA 11 and 12 have no nvcc") {
  for (const std::string major : {"11", "12"}) {
    FakeFiles files;
    files.file(site + "/nvidia/cuda_nvcc/bin/ptxas").file(site + "/nvidia/cudnn/lib/libcudnn.so.9");
    files.file(site + "/nvidia_cuda_nvcc_cu" + major + "-12.9.86.dist-info/RECORD");
    for (const char* const part : {"", "/nvidia", "/nvidia/cuda_nvcc"})
      CHECK(wheels_without_nvcc(site + part, files) ==
            "has no bin/nvcc: NVIDIA's wheels for CUDA " + major +
                " have ptxas and cicc, but no nvcc; those for CUDA 13 and newer have it (pip install "
                "'cuda-toolkit[nvcc,crt,cudart,cccl,nvvm]==13.*')");
  }
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
