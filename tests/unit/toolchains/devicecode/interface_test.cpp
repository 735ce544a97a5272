// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/builder.hpp"
#include "tests/unit/toolchains/fatbin/pieces.hpp"
#include "toolchains/devicecode/interface.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using namespace hostpin::test;

namespace {

/// Attributes of .nv.info: one without a value, one with eight bytes, and the size of the parameters.
std::string info_with(std::uint64_t parameters) {
  return little(0x3601, 4) + little(0x1704, 2) + little(8, 2) + std::string(8, 'x') + little(0x1903, 2) +
         little(parameters, 2);
}

} // namespace

TEST_CASE("the interface of machine code has the parameters of its kernels") {
  const std::string cubin =
      ObjectBuilder().kind(2).add(".nv.info._Z1kPf", info_with(12)).add(".nv.info.k2", info_with(0)).build();
  CHECK(interface_of(cubin) == Interface{{"_Z1kPf", 12}, {"k2", 0}});
  CHECK(interface_of("no ELF file").empty());
  for (std::size_t size = 0; size < cubin.size(); ++size)
    CHECK(interface_of(cubin.substr(0, size)).size() <= 2);
}

TEST_CASE("a name with another size is a conflict, and other names are added") {
  Interface all{{"k", 12}};
  CHECK_FALSE(conflict(all, {{"k", 12}, {"v", 4}}));
  CHECK(conflict(all, {{"v", 8}}) == "v");
}

TEST_CASE("a name whose size varies between the GPUs of one build conflicts with nothing") {
  Interface all{{"k", 12}, {"v", 4}};
  add_interface(all, {{"k", 16}, {"v", 4}});
  add_interface(all, {{"k", 12}});
  CHECK_FALSE(conflict(all, {{"k", 20}, {"v", 4}}));
  CHECK(conflict(all, {{"v", 8}}) == "v");
}
