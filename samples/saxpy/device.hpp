// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

/// `a * x + y` on the first device, into `y`; false when there is no device. Throws std::runtime_error when
/// CUDA fails.
bool saxpy_on_device(float a, const std::vector<float>& x, std::vector<float>& y);
