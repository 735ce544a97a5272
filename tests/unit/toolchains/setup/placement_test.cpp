// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/placement.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin::setup;

namespace {

std::string root(const std::string& path) {
  return place_in_root(path).value_or("none");
}

std::string toolkit(const std::string& path) {
  return place_in_toolkit(path).value_or("none");
}

} // namespace

TEST_CASE("a root has one /usr, and of /usr/share the licence texts alone") {
  CHECK(root("usr/bin/x86_64-linux-gnu-g++-13") == "usr/bin/x86_64-linux-gnu-g++-13");
  CHECK(root("lib/x86_64-linux-gnu/libc.so.6") == "usr/lib/x86_64-linux-gnu/libc.so.6");
  CHECK(root("lib64/ld-linux-x86-64.so.2") == "usr/lib64/ld-linux-x86-64.so.2");
  CHECK(root("lib64") == "usr/lib64");
  CHECK(root("library/x") == "none");
  CHECK(root("opt/rh/gcc-toolset-13/root/usr/bin/g++") == "opt/rh/gcc-toolset-13/root/usr/bin/g++");
  CHECK(root("usr/share/doc/gcc-13-base/copyright") == "licenses/gcc-13-base");
  CHECK(root("usr/share/licenses/gcc/RUNTIME.LIBRARY.EXCEPTION") == "licenses/gcc/RUNTIME.LIBRARY.EXCEPTION");
  CHECK(root("usr/share/doc/gcc-13-base/README.gz") == "none");
  CHECK(root("etc/ld.so.conf.d/x86_64-linux-gnu.conf") == "none");
  CHECK(root("var/lib/x") == "none");
  CHECK(root(".PKGINFO") == "none");
}

TEST_CASE("the toolkit's packages come into NVIDIA's layout") {
  CHECK(toolkit("usr/lib/nvidia-cuda-toolkit/bin/nvcc") == "bin/nvcc");
  CHECK(toolkit("usr/lib/nvidia-cuda-toolkit/bin/crt/link.stub") == "bin/crt/link.stub");
  CHECK(toolkit("usr/lib/nvidia-cuda-toolkit/bin/cicc") == "nvvm/bin/cicc");
  CHECK(toolkit("usr/lib/nvidia-cuda-toolkit/bin/g++") == "none");
  CHECK(toolkit("usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc") == "nvvm/libdevice/libdevice.10.bc");
  CHECK(toolkit("usr/bin/ptxas") == "bin/ptxas");
  CHECK(toolkit("usr/bin/nvcc") == "none");
  CHECK(toolkit("usr/include/crt/host_config.h") == "include/crt/host_config.h");
  CHECK(toolkit("usr/lib/x86_64-linux-gnu/libcudart.so.12.4.127") == "lib64/libcudart.so.12.4.127");
  CHECK(toolkit("usr/lib/aarch64-linux-gnu/libcudart_static.a") == "lib64/libcudart_static.a");
  CHECK(toolkit("usr/lib/x86_64-linux-gnu/libnvvm.so.4") == "nvvm/lib64/libnvvm.so.4");
  CHECK(toolkit("usr/lib/x86_64-linux-gnu/stubs/libcuda.so") == "lib64/stubs/libcuda.so");
  CHECK(toolkit("usr/lib/x86_64-linux-gnu/libcublas_static.a") == "none");
  CHECK(toolkit("usr/share/doc/nvidia-cuda-toolkit/copyright") == "licenses/nvidia-cuda-toolkit");
}

TEST_CASE("libraries come from the packages that have their names, and from the one with all headers") {
  CHECK(library_in("/a/libcublas12_12.4.5.8~12.4.1-2_amd64.deb") == "libcublas");
  CHECK(library_in("libnvrtc-builtins12.4_12.4.127_amd64.deb") == "libnvrtc-builtins");
  CHECK_FALSE(library_in("libcub-dev_2.3.2_all.deb"));
  CHECK_FALSE(library_in("nvidia-cuda-dev_12.4.127_amd64.deb"));
  const std::vector<std::string> more{"libcublas", "libnvjitlink"};
  for (const char* const name :
       {"libcublas.so.12.4.5.8", "libcublasLt.so", "libcublas_static.a", "libnvJitLink.so.12"})
    CHECK(place_in_toolkit(std::string("usr/lib/x86_64-linux-gnu/") + name, more) ==
          std::string("lib64/") + name);
  CHECK_FALSE(place_in_toolkit("usr/lib/x86_64-linux-gnu/libcufft_static.a", more));
}

TEST_CASE("packages that only maintainer scripts need are left out by their names") {
  CHECK(is_needless("/a/perl-base_5.40_amd64.deb"));
  CHECK(is_needless("libpython3.13-stdlib_3.13_amd64.deb"));
  CHECK_FALSE(is_needless("/perl/gcc-13_13.3.0-16_amd64.deb"));
  CHECK_FALSE(is_needless("libc6_2.41-12_amd64.deb"));
}
