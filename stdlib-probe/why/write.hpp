// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/report.hpp"
#include "toolchains/base/terminal.hpp"

#include <span>
#include <string>

namespace hostpin {

/// What was asked, in words that an answer repeats.
struct WhyQuestion {
  std::string limit; ///< for a person, such as `GLIBCXX_3.4.30 and CXXABI_1.3.13`; empty without one
  bool chain = false;
  std::string here; ///< absolute directory to which paths are shown relatively
};

/// One JSON object, as README.md describes it.
std::string why_json(const WhyQuestion& question, std::span<const SourceAnswer> answers);

/// For a person: by source, then version, newest first.
std::string why_text(const WhyQuestion& question, std::span<const SourceAnswer> answers,
                     const Terminal& terminal = endless);

} // namespace hostpin
