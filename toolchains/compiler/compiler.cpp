// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/compiler.hpp"

namespace hostpin {

const char* to_string(Family family) {
  switch (family) {
  case Family::gcc:
    return "gcc";
  case Family::clang:
    return "clang";
  case Family::other:
    break;
  }
  return "other";
}

} // namespace hostpin
