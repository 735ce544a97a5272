// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>

/// How often each byte occurs.
using Histogram = std::array<unsigned, 256>;

/// True when a GPU is there and its driver is new enough for this runtime.
bool has_device();
Histogram histogram_on_host(const std::string& text);
/// Throws std::runtime_error when CUDA fails, such as for want of a device.
Histogram histogram_on_device(const std::string& text);
