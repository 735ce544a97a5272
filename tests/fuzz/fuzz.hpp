// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// libFuzzer's entry point: must come back for every input, and abort only where an invariant is broken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Inputs worth starting from; each target defines its own.
std::vector<std::string> seeds();
