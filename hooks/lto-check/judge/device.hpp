// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/judge.hpp"

#include <string>

namespace hostpin {

/// What is wrong with a stream; with the verdict `ok` nothing, and no words.
struct StreamFinding {
  LtoVerdict verdict = LtoVerdict::ok;
  std::string reason;
  std::string expected;
};

/// What nvlink makes of LTO-IR. NVIDIA documents that it takes what its own toolkit and older ones of the
/// same major wrote; which toolkit wrote a version of the container comes from the table.
StreamFinding device_finding(const Bitstream& stream, const LinkContext& context);

} // namespace hostpin
