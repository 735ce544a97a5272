// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/redist/tree/facts.hpp"
#include "toolchains/redist/tree/content_facts.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

TEST_CASE("each file of an archive belongs to one output") {
  const ContentFacts& facts = test::content_facts();
  for (const auto& [path, output] : std::initializer_list<std::pair<const char*, const char*>>{
           {"lib/libcublas.so.12", "lib"},
           {"lib/stubs/libcublas.so", "stubs"},
           {"lib/libcublas_static.a", "static"},
           {"lib/stubs/libnvidia-ml.a", "static"},
           {"lib/11.0/libcutensor.so", "lib"},
           {"lib/cmake/cub/cub-config.cmake", "dev"},
           {"pkg-config/cudart-12.4.pc", "dev"},
           {"include/cub/config.cuh", "include"},
           {"bin/nvcc", "bin"},
           {"nvvm/lib64/libnvvm.so.4", "out"},
           {"nvvm/bin/cicc", "out"},
           {"samples/simple/Makefile", "sample"},
           {"python/tensorrt-10.0-cp311-none-linux_x86_64.whl", "python"},
           {"lib/x64/cudart_static.lib", "static"},
           {"lib/x64/cudart.lib", "lib"},
           {"doc/index.html", "doc"},
           {"LICENSE", "out"}}) {
    CAPTURE(path);
    CHECK(output_of(facts, path) == output);
  }
}

TEST_CASE("names of known families are those that libraries open") {
  const ContentFacts& facts = test::content_facts();
  CHECK(opened_package(facts, "libcuda.so.1") == "");
  CHECK(opened_package(facts, "libcudnn_ops.so.9") == "cudnn");
  CHECK(opened_package(facts, "libnvrtc.so.12") == "cuda_nvrtc");
  CHECK(opened_package(facts, "libnvJitLink.so.12") == "libnvjitlink");
  CHECK(!opened_package(facts, "libX11.so.6"));
}

TEST_CASE("headers of C, C++ and systems are none of a package, and those of CUDA are") {
  const auto& patterns = test::content_facts().system_headers;
  for (const char* name : {"stdio.h", "cmath", "sys/mman.h", "windows.h", "type_traits", "GL/gl.h"})
    CHECK(matches_any(patterns, name));
  for (const char* name : {"cuda.h", "crt/host_config.h", "nv/target", "cub/cub.cuh", "cooperative_groups.h",
                           "cuda/std/type_traits", "nvtx3/nvToolsExt.h"})
    CHECK(!matches_any(patterns, name));
}

TEST_CASE("a row without a source, or with an unknown member, is an error with its position") {
  const test::Tree tree;
  const DiskFiles files;
  tree.write("redist-content.toml", "[[output]]\nname = \"lib\"\npatterns = [\"lib/*\"]\n");
  CHECK(load_content_facts(files, tree.root()).error().message.find("redist-content.toml:1:") !=
        std::string::npos);
  tree.write("redist-content.toml", "[[vendored]]\nnames = [\"x\"]\nsource = \"s\"\nothers = 1\n");
  CHECK(load_content_facts(files, tree.root()).error().message.find("redist-content.toml:4:") !=
        std::string::npos);
}
