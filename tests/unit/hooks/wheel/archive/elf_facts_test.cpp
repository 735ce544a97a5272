// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/elf_facts.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::wheel;

TEST_CASE("what is not ELF has no facts, and what is cut short is damaged") {
  const binary::InputFile text{std::string_view("text")}, cut{std::string_view("\x7f"
                                                                               "ELF\2\1\1")};
  const auto none = read_elf_facts(binary::Bytes(text), "x", Depth::all);
  REQUIRE(none);
  CHECK_FALSE(*none);
  CHECK_FALSE(read_elf_facts(binary::Bytes(cut), "x", Depth::all));
}

TEST_CASE("a program is no module, runtime or driver") {
  auto file = binary::InputFile::open("/proc/self/exe");
  REQUIRE(file);
  const auto facts = read_elf_facts(binary::Bytes(**file), "unit", Depth::all);
  REQUIRE(facts);
  if (!*facts)
    return; // a static program
  CHECK_FALSE((*facts)->image.needed.empty());
  CHECK_FALSE((*facts)->is_module);
  CHECK_FALSE((*facts)->is_driver);
  CHECK((*facts)->cuda_runtime.empty());
  CHECK((*facts)->device_code.empty());
}

TEST_CASE("PyTorch's libraries are known by their names") {
  CHECK(is_library_of_torch("libc10_cuda.so"));
  CHECK(is_library_of_torch("libtorch_cpu.so"));
  CHECK_FALSE(is_library_of_torch("_torch.so"));
}
