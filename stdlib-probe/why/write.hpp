// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/report.hpp"
#include "toolchains/base/terminal.hpp"

#include <span>
#include <string>

namespace hostpin {

/// The query, as repeated in the answer.
struct WhyQuestion {
  std::string limit; ///< as text, such as `GLIBCXX_3.4.30 and CXXABI_1.3.13`; empty without one
  bool chain = false;
  std::string here; ///< absolute directory to which printed paths are relative
};

/// One JSON object, as README.md describes it.
std::string why_json(const WhyQuestion& question, std::span<const SourceAnswer> answers);

/// As text: by source, then version, newest first.
std::string why_text(const WhyQuestion& question, std::span<const SourceAnswer> answers,
                     const Terminal& terminal = endless);

} // namespace hostpin
