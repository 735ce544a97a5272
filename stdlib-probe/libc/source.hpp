// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/libc/clashes.hpp"
#include "stdlib-probe/parse/parse.hpp"

#include <string>
#include <vector>

namespace hostpin {

struct ReadingPlan {
  SourceText source;                            ///< what stands for any .cu file
  std::vector<std::string> toolkit_directories; ///< absolute; declarations below them are the toolkit's
  std::vector<std::string> absent;              ///< headers that would be read if they were there
};

/// How to read a toolkit over a C library. Of the C++ library there is only what brings in the C library's
/// headers. An error when either side lacks the one header that everything hangs on.
Result<ReadingPlan> plan_reading(const ToolkitHeaders& toolkit, const HostHeaders& host,
                                 const std::string& resources);

} // namespace hostpin
