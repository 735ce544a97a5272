// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int other_unit(int value) {
  return value * 9;
}
