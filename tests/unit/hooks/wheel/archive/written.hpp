// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/blob.hpp"

#include <functional>
#include <string>

#include <doctest/doctest.h>

namespace hostpin::test {

/// What a function writes to an open file.
inline std::string written(const std::function<void(int descriptor)>& write) {
  const auto file = binary::open_scratch("/tmp");
  REQUIRE(file);
  write((*file)->descriptor());
  const auto blob = binary::written_blob((*file)->descriptor());
  REQUIRE(blob);
  const auto bytes = blob->all(~std::size_t{0});
  REQUIRE(bytes);
  return *bytes;
}

} // namespace hostpin::test
