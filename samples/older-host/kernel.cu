// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "who.hpp"

#include <stdexcept>

static __global__ void nothing() {}

std::string compiler_of_kernel(bool raise) {
  if (raise)
    throw std::runtime_error("thrown by " + this_compiler());
  // Without a GPU the launch fails, which does not matter here: this sample is about the host half.
  nothing<<<1, 1>>>();
  return this_compiler();
}
