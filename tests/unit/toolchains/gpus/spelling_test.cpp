// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/gpus/shipped.hpp"
#include "toolchains/gpus/spelling.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::gpus;
using hostpin::test::shipped_gpus;

namespace {

std::string spelled(std::string_view list, std::string_view name, bool forward_compatible = true) {
  const auto expansion = expand(list, {shipped_gpus(), Version{13, 0, 0}, forward_compatible, {}});
  REQUIRE_MESSAGE(expansion, expansion.error().message);
  const Spelling* const spelling = find_spelling(name);
  REQUIRE(spelling);
  const auto value = spelling->value(*expansion, shipped_gpus());
  return value ? *value : value.error().message;
}

} // namespace

TEST_CASE("one list has a spelling for each build system") {
  constexpr const char* list = "8.0;9.0a;12.0";
  CHECK(spelled(list, "nvcc") ==
        "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a "
        "-gencode=arch=compute_120,code=sm_120 -gencode=arch=compute_120,code=compute_120");
  CHECK(spelled(list, "nccl") == spelled(list, "nvcc"));
  CHECK(spelled(list, "cmake") == "80-real;90a-real;120");
  CHECK(spelled(list, "torch") == "8.0;9.0a;12.0+PTX");
  CHECK(spelled(list, "xla") == "sm_80,sm_90a,compute_120");
}

TEST_CASE("PTX alone is spelled where it can be expressed") {
  constexpr const char* list = "8.0;9.0-virtual";
  CHECK(spelled(list, "nvcc") ==
        "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=compute_90");
  CHECK(spelled(list, "cmake") == "80-real;90-virtual");
  CHECK(spelled(list, "torch") == "PyTorch always makes machine code with PTX, as for 9.0");
  CHECK(spelled(list, "xla") == "XLA always makes machine code with PTX, as for 9.0");
  CHECK(spelled("9.0-virtual", "kokkos") == "Kokkos always makes machine code with PTX, as for 9.0");
}

TEST_CASE("Kokkos accepts one capability, and not every one") {
  CHECK(spelled("9.0", "kokkos") == "-DKokkos_ARCH_HOPPER90=ON");
  CHECK(spelled("8.0;9.0", "kokkos").find("one compute capability at a time") != std::string::npos);
  CHECK(spelled("9.0a", "kokkos") == "Kokkos has no architecture for 9.0a");
  CHECK(spelled("9.0", "kokkos", false) == "Kokkos always makes PTX with the machine code");
  CHECK(spelled("10.3", "kokkos") == "Kokkos has no architecture for 10.3");
}

TEST_CASE("PyTorch accepts architecture-specific capabilities, and no family-specific ones") {
  CHECK(spelled("9.0a", "torch") == "9.0a");
  CHECK(spelled("10.0f", "torch") == "PyTorch knows no family-specific capability such as 10.0f");
}

TEST_CASE("PyTorch's list has nothing that it refuses") {
  CHECK(spelled("8.8", "torch") == "PyTorch does not know 8.8");
  CHECK(spelled("8.7", "torch") == "8.7+PTX");
}

TEST_CASE("source code that needs a variant is compiled for the listed GPUs that have its features") {
  using Rows = std::vector<std::string>;
  const auto served = [](std::string_view list, const Version& toolkit) {
    const auto expansion = expand(list, {shipped_gpus(), toolkit, true, {}});
    REQUIRE_MESSAGE(expansion, expansion.error().message);
    return served_variants(*expansion, shipped_gpus(), toolkit);
  };
  CHECK(served("8.0;9.0", {13, 0, 0}) == Rows{"90a 90a"});
  CHECK(served("9.0a", {13, 0, 0}) == Rows{"90a 90a"});
  CHECK(served("10.3", {13, 0, 0}) == Rows{"103a 103a", "100f 103f", "103f 103f"});
  CHECK(served("10.0f", {13, 0, 0}) == Rows{"100a 100a", "100f 100f"});
  CHECK(served("9.0", {11, 8, 0}).empty()); // which does not compile for 9.0a
  CHECK(served("8.0;9.0-virtual", {13, 0, 0}).empty());
}

TEST_CASE("an unknown spelling is none") {
  CHECK_FALSE(find_spelling("autotools"));
  CHECK(spellings().size() == 6);
}
