// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"

namespace hostpin::test {

std::string in_checkout(const std::string& path) {
  return HOSTPIN_CHECKOUT "/" + path;
}

std::string in_build(const std::string& path) {
  return HOSTPIN_BUILD "/" + path;
}

const std::string& shipped_data() {
  static const std::string directory = in_checkout("toolchains/data");
  return directory;
}

} // namespace hostpin::test
