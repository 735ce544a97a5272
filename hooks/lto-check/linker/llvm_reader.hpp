// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/linker.hpp"

#include <string_view>

namespace hostpin {

/// The LLVM release of a linker plugin: that of the libLLVM it loads, else that in the name of its directory.
Result<LlvmReader> learn_llvm_plugin(const std::string& path, const Files& files);

/// 19 for `libLLVM.so.19.1`, 14 for `libLLVM-14.so.1`; 0 for other names.
int llvm_of_soname(std::string_view soname);

} // namespace hostpin
