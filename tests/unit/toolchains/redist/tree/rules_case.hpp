// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "tests/unit/toolchains/redist/tree/trees.hpp"
#include "toolchains/redist/tree/root.hpp"

namespace hostpin::redist::test {

/// A shared library that needs others; `needs` may name their versions.
inline std::string library(const std::string& soname, hostpin::test::ElfBuilder::Needs needs = {},
                           const std::string& run_path = {}, const std::string& strings = {}) {
  for (auto& [name, versions] : needs) // the builder writes a need for each library
    if (versions.empty())
      versions.emplace_back("ANY");
  return hostpin::test::ElfBuilder(true, true).build(soname, {}, needs, run_path) + '\0' + strings + '\0';
}

} // namespace hostpin::redist::test
