// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>

namespace hostpin {

/// What LLVM's own reader says is the producer; a ProducerReader. It reads identifications of every LLVM,
/// newer ones too, for only the module behind them changes.
Result<std::string> llvm_producer(std::string_view bitcode);

} // namespace hostpin
