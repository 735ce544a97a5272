// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int value() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__ / 10;
#else
  return 0;
#endif
}
