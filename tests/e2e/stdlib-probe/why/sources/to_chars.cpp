// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "own.hpp"

std::string both(float small, long double large) {
  return spelled(small) + spelled(large) + spelled(7);
}
