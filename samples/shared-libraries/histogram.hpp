// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>

/// How often each byte occurs.
using Histogram = std::array<unsigned, 256>;

/// True if there is a GPU and its driver is new enough for this runtime.
bool has_device();
Histogram histogram_on_host(const std::string& text);
/// Throws std::runtime_error if CUDA fails, for example without a device.
Histogram histogram_on_device(const std::string& text);
