// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/libc/clashes.hpp"
#include "stdlib-probe/parse/parse.hpp"

#include <string>
#include <vector>

namespace hostpin {

struct ReadingPlan {
  SourceText source;                            ///< represents any .cu file
  std::vector<std::string> toolkit_directories; ///< absolute; declarations below them are the toolkit's
  std::vector<std::string> absent;              ///< headers that would be read if they existed
};

/// How to read a toolkit after a C library. The C++ library is reduced to what includes the C library's
/// headers. An error if either side lacks the one required header.
Result<ReadingPlan> plan_reading(const ToolkitHeaders& toolkit, const HostHeaders& host,
                                 const std::string& resources);

} // namespace hostpin
