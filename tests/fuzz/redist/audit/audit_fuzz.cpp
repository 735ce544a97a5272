// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file that is audited, and the same bytes with a change at their end as its original. Whatever they are,
// there is a verdict, and texts are bounded.
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "tests/unit/toolchains/redist/audit/facts.hpp"
#include "toolchains/redist/audit/comparison.hpp"
#include "toolchains/redist/audit/nature.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin;
using namespace hostpin::redist;

std::vector<std::string> seeds() {
  const test::ElfBuilder builder(true, true);
  return {builder.build("libcudart.so.13", {"libcudart.so.13"}, {{"libc.so.6", {"GLIBC_2.4"}}}, "$ORIGIN"),
          builder.build("libown.so", {}) + "/cudart.shm.",
          "BC\xc0\xde__nv",
          "!<arch>\n",
          "MZ",
          "// Copyright NVIDIA Corporation\n// SPDX-License-Identifier: MIT\n",
          "# Copyright (c) 2018, NVIDIA CORPORATION\n# Licensed under the Apache License"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const binary::Blob file(bytes), other(bytes + 'x');
  const Nature nature = nature_of(file, "libcudart.so.13", test::audit_facts());
  if (nature.kind == Nature::Kind::linked && nature.linked.empty())
    std::abort();
  for (const auto& [left, right] : {std::pair(file, other), std::pair(other, file), std::pair(file, file)})
    if (const ElfComparison result = compared(left, right);
        !result.is_same_build && !result.differences.empty())
      std::abort();
  marks_of_tools(file);
  return 0;
}
