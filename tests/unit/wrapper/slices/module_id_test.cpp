// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/module_id.hpp"

#include <doctest/doctest.h>

using namespace hostpin::slices;
using Texts = std::vector<std::string>;

namespace {
constexpr std::string_view digest = "0123456789abcdef0123";
}

TEST_CASE("a module id that ends in a checksum and the process id gets fixed ones") {
  CHECK(fixed_module_id("_199ef807_4_a_cu_63652c59_6920", 6920, digest) ==
        "_199ef807_4_a_cu_01234567_89abcdef");
  CHECK(fixed_module_id("_9_a_cpp1_ii_f6f4f0a8_3382", 3382, digest) == "_9_a_cpp1_ii_01234567_89abcdef");
}

TEST_CASE("ids have the same length whatever the process id") {
  CHECK(fixed_module_id("_4_a_cu_63652c59_7", 7, digest) ==
        fixed_module_id("_4_a_cu_63652c50_4194304", 4194304, digest));
}

TEST_CASE("a module id that ends in the name of a definition is left alone") {
  for (const char* const id : {"_52a48c55_6_ext_cu__Z1kPi", "_52a48c55_6_ext_cu_x_6920",
                               "_52a48c55_6_ext_cu_63652c59_6921", "_52a48c55_6_ext_cu_63652c59_16920",
                               "_52a48c55_6_ext_cu_63652C59_6920", "63652c59_6920", "_6920", "6920", ""})
    CHECK_MESSAGE(!fixed_module_id(id, 6920, digest), id);
}

TEST_CASE("arguments that name GPUs do not distinguish calls") {
  const Texts rest{"-O3", "-c", "a.cu", "-o", "a.o"};
  CHECK(without_gpus({"-O3", "-gencode=arch=compute_80,code=sm_80", "-c", "a.cu", "-o", "a.o"}) == rest);
  CHECK(without_gpus({"-O3", "-gencode", "arch=compute_80,code=[compute_80,sm_80]", "--generate-code",
                      "arch=compute_90,code=lto_90", "-c", "a.cu", "-o", "a.o"}) == rest);
  CHECK(without_gpus({"-c", "a.cu", "-o", "b.o"}) != without_gpus({"-c", "a.cu", "-o", "a.o"}));
}
