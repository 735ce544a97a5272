// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "wrapper/view/view.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::view;
using hostpin::test::FakeFiles;
using Strings = std::vector<std::string>;

namespace {

Strings lines(const std::vector<ViewLink>& links) {
  Strings result;
  for (const ViewLink& link : links)
    result.push_back(link.path + " -> " + link.target);
  return result;
}

Toolkit toolkit(const std::string& root, const std::string& nvcc, const std::string& include) {
  Toolkit found;
  found.root = root;
  found.nvcc = nvcc;
  found.host_config = include + "/crt/host_config.h";
  return found;
}

/// The layout of Debian's and Ubuntu's packages.
FakeFiles spread() {
  FakeFiles files;
  files.program("/usr/lib/nvidia-cuda-toolkit/bin/nvcc")
      .program("/usr/lib/nvidia-cuda-toolkit/bin/cicc")
      .program("/usr/lib/nvidia-cuda-toolkit/bin/g++")
      .file("/etc/nvcc.profile")
      .link("/usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile", "/etc/nvcc.profile")
      .file("/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc")
      .program("/usr/bin/ptxas")
      .program("/usr/bin/g++")
      .file("/usr/include/stdio.h")
      .file("/usr/include/cuda_runtime.h")
      .file("/usr/include/cups/cups.h")
      .file("/usr/include/nv/target")
      .file("/usr/include/nvidia/x.h")
      .file("/usr/include/crt/host_config.h")
      .file("/usr/lib/x86_64-linux-gnu/libc.so.6")
      .file("/usr/lib/x86_64-linux-gnu/libcudart.so.12")
      .file("/usr/lib/x86_64-linux-gnu/libcurl.so.4")
      .file("/usr/lib/x86_64-linux-gnu/libnvvm.so.4")
      .file("/usr/lib/x86_64-linux-gnu/stubs/libcuda.so");
  return files;
}

} // namespace

TEST_CASE("a view has every entry of the toolkit and of its bin, and nvcc is ours") {
  FakeFiles files;
  files.program("/tk/bin/nvcc")
      .file("/tk/bin/nvcc.profile")
      .program("/tk/bin/ptxas")
      .file("/tk/bin/crt/link.stub")
      .file("/tk/include/cuda_runtime.h")
      .file("/tk/include/crt/host_config.h")
      .file("/tk/lib64/libcudart.so")
      .file("/tk/nvvm/libdevice/libdevice.10.bc")
      .file("/tk/version.json")
      .file("/tk/hostpin/of somebody else");
  CHECK(lines(view_links(toolkit("/tk", "/tk/bin/nvcc", "/tk/include"), files)) ==
        Strings{"bin/crt -> /tk/bin/crt", "bin/nvcc -> ../hostpin/nvcc",
                "bin/nvcc.profile -> /tk/bin/nvcc.profile", "bin/ptxas -> /tk/bin/ptxas",
                "hostpin/toolkit -> /tk/bin", "include -> /tk/include", "lib64 -> /tk/lib64",
                "nvvm -> /tk/nvvm", "version.json -> /tk/version.json"});
}

TEST_CASE("compilers beside an nvcc do not come along") {
  FakeFiles files;
  files.program("/conda/bin/nvcc").program("/conda/bin/g++").program("/conda/bin/x86_64-conda-linux-gnu-g++");
  const Strings found = lines(view_links(toolkit("/conda", "/conda/bin/nvcc", "/conda/include"), files));
  const auto has = [&](const std::string& line) {
    return std::find(found.begin(), found.end(), line) != found.end();
  };
  CHECK_FALSE(has("bin/g++ -> /conda/bin/g++"));
  CHECK(has("bin/x86_64-conda-linux-gnu-g++ -> /conda/bin/x86_64-conda-linux-gnu-g++"));
}

TEST_CASE("of a toolkit that is spread over the system what is CUDA's is put together") {
  const FakeFiles files = spread();
  CHECK(lines(view_links(
            toolkit("/usr/lib/nvidia-cuda-toolkit", "/usr/lib/nvidia-cuda-toolkit/bin/nvcc", "/usr/include"),
            files)) ==
        Strings{"bin/cicc -> /usr/lib/nvidia-cuda-toolkit/bin/cicc", "bin/nvcc -> ../hostpin/nvcc",
                "bin/nvcc.profile -> /usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile",
                "bin/ptxas -> /usr/bin/ptxas", "hostpin/toolkit -> /usr/lib/nvidia-cuda-toolkit/bin",
                "include/crt -> /usr/include/crt", "include/cuda_runtime.h -> /usr/include/cuda_runtime.h",
                "include/nv -> /usr/include/nv",
                "lib64/libcudart.so.12 -> /usr/lib/x86_64-linux-gnu/libcudart.so.12",
                "lib64/libnvvm.so.4 -> /usr/lib/x86_64-linux-gnu/libnvvm.so.4",
                "lib64/stubs -> /usr/lib/x86_64-linux-gnu/stubs",
                "libdevice -> /usr/lib/nvidia-cuda-toolkit/libdevice",
                "nvvm/bin/cicc -> /usr/lib/nvidia-cuda-toolkit/bin/cicc",
                "nvvm/lib64/libnvvm.so -> /usr/lib/x86_64-linux-gnu/libnvvm.so.4",
                "nvvm/lib64/libnvvm.so.4 -> /usr/lib/x86_64-linux-gnu/libnvvm.so.4",
                "nvvm/libdevice -> /usr/lib/nvidia-cuda-toolkit/libdevice"});
}

TEST_CASE("a toolkit whose root is the system's brings no other programs and directories") {
  FakeFiles files = spread();
  files.program("/usr/bin/nvcc").program("/usr/bin/python3").file("/usr/share/doc/x");
  for (const std::string& line : lines(view_links(toolkit("/usr", "/usr/bin/nvcc", "/usr/include"), files))) {
    CHECK(line.find("python") == std::string::npos);
    CHECK(line.find("share") == std::string::npos);
    CHECK(line.find("g++") == std::string::npos);
    CHECK_FALSE(line.starts_with("include ->"));
  }
}

TEST_CASE("a toolkit of wheels has its libraries where nvcc and nvlink look, and the names that links use") {
  const std::string root = "/venv/lib/python3.12/site-packages/nvidia/cu13";
  FakeFiles files;
  files.program(root + "/bin/nvcc")
      .file(root + "/bin/nvcc.profile")
      .file(root + "/include/crt/host_config.h")
      .file(root + "/include/cuda_runtime.h")
      .file(root + "/include/cuda.h")
      .file(root + "/lib/libcudart.so.13")
      .file(root + "/lib/libcudart_static.a")
      .file(root + "/lib/libnvvm.so.4")
      .program(root + "/nvvm/bin/cicc")
      .file(root + "/nvvm/libdevice/libdevice.10.bc");
  CHECK(lines(view_links(toolkit(root, root + "/bin/nvcc", root + "/include"), files)) ==
        Strings{"bin/nvcc -> ../hostpin/nvcc", "bin/nvcc.profile -> " + root + "/bin/nvcc.profile",
                "hostpin/toolkit -> " + root + "/bin", "include -> " + root + "/include",
                "lib/libcudart.so -> " + root + "/lib/libcudart.so.13",
                "lib/libcudart.so.13 -> " + root + "/lib/libcudart.so.13",
                "lib/libcudart_static.a -> " + root + "/lib/libcudart_static.a",
                "lib/libnvvm.so -> " + root + "/lib/libnvvm.so.4",
                "lib/libnvvm.so.4 -> " + root + "/lib/libnvvm.so.4",
                "lib/stubs/libcuda.so -> ../../hostpin/stubs/libcuda.so", "lib64 -> lib",
                "nvvm/bin/cicc -> " + root + "/nvvm/bin/cicc",
                "nvvm/lib64/libnvvm.so -> " + root + "/lib/libnvvm.so.4",
                "nvvm/lib64/libnvvm.so.4 -> " + root + "/lib/libnvvm.so.4",
                "nvvm/libdevice -> " + root + "/nvvm/libdevice"});
}

TEST_CASE("links of a farm lead to the farm") {
  FakeFiles files;
  files.program("/store/a/bin/nvcc")
      .file("/store/b/include/cuda_runtime.h")
      .file("/store/b/include/crt/host_config.h")
      .link("/farm/bin/nvcc", "/store/a/bin/nvcc")
      .file("/farm/bin/nvcc.profile")
      .link("/farm/include", "/store/b/include");
  const Strings found = lines(view_links(toolkit("/farm", "/farm/bin/nvcc", "/store/b/include"), files));
  CHECK(std::find(found.begin(), found.end(), "include -> /farm/include") != found.end());
  CHECK(std::find(found.begin(), found.end(), "hostpin/toolkit -> /farm/bin") != found.end());
}

TEST_CASE("a view does not lie in its toolkit, nor where nvcc could not say its own path") {
  FakeFiles files;
  files.program("/tk/bin/nvcc").file("/home/x").link("/home/link", "/tk");
  const Toolkit tk = toolkit("/tk", "/tk/bin/nvcc", "/tk/include");
  CHECK_FALSE(unfit_for_view("/home/a view's \xC3\xA9", tk, files));
  CHECK_FALSE(unfit_for_view("/tk2", tk, files));
  CHECK(unfit_for_view("/tk/view", tk, files));
  CHECK(unfit_for_view("/tk", tk, files));
  CHECK(unfit_for_view("/home/link/view/below", tk, files));
  for (const char* const live : {"\"", "$", "`", "\\", "\n", ":"})
    CHECK(unfit_for_view(std::string("/home/a") + live + "b", tk, files));
  const Toolkit system = toolkit("/usr", "/usr/bin/nvcc", "/usr/include");
  CHECK_FALSE(unfit_for_view("/usr/share/view", system, files));
}
