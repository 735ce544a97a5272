// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "horner.cuh"

__device__ int horner(const int* coefficients, int n, int x) {
  int value = 0;
  for (int i = n; i > 0; --i)
    value = value * x + coefficients[i - 1];
  return value;
}
