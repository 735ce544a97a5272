// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/judge.hpp"

#include <string>

namespace hostpin {

/// What is wrong with a stream; with the verdict `ok` the texts are empty.
struct StreamFinding {
  LtoVerdict verdict = LtoVerdict::ok;
  std::string reason;
  std::string expected;
};

/// What nvlink does with LTO-IR. NVIDIA documents that it takes code of its own toolkit and of older ones of
/// the same major; which toolkit writes which version of the container comes from the table.
StreamFinding device_finding(const Bitstream& stream, const LinkContext& context);

} // namespace hostpin
