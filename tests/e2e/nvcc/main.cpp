// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include "real.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <doctest/doctest.h>

int main(int argc, char** argv) {
  using namespace hostpin::e2e;
  const char* required = std::getenv("HOSTPIN_LAB_REQUIRED");
  const bool lab_required = required != nullptr && std::string_view(required) == "1";
  for (const Toolkit& toolkit : toolkits())
    std::printf("with CUDA %s in %s\n", toolkit.version.c_str(), toolkit.root.c_str());
  if (!have_all_releases()) {
    std::printf(
        "%s: not all of CUDA 11.2, 11.8, 12.4 and 13.0 are here (./bootstrap lab provides the first three)\n",
        lab_required ? "FAIL" : "note");
    if (lab_required)
      return 1;
  }
  if (toolkits().empty()) {
    std::puts("skipped: no nvcc in the lab, in $CUDA_HOME, on PATH or in /usr/local/cuda");
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
