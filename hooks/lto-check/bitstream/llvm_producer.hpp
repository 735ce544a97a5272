// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>

namespace hostpin {

/// The producer according to LLVM's own reader; a ProducerReader. It reads identifications of every LLVM,
/// including newer ones, because only the module after them changes.
Result<std::string> llvm_producer(std::string_view bitcode);

} // namespace hostpin
