// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clamp.hpp"

#include <algorithm>

int not_below_zero(int count) {
  return std::max(count, 0);
}
