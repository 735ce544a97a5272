// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef THRESHOLD_KERNEL_HPP
#define THRESHOLD_KERNEL_HPP
#include <cstddef>
#include <cuda_runtime_api.h>

// n numbers of the GPU's memory, moved towards 0 by limit, in the order of stream. Does not wait for the
// result.
cudaError_t threshold_on_device(cudaStream_t stream, std::size_t n, float limit, const float* x, float* y);

#endif
