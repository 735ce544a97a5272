// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// `c[0] + c[1] x + c[2] x^2 + ...` of `n` coefficients. Defined in a separate file, so a kernel elsewhere
/// can call it only if device code is linked.
__device__ int horner(const int* coefficients, int n, int x);
