// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/report/report.hpp"

#include <string>
#include <string_view>

namespace hostpin::test {

/// All of what is written piece by piece.
template <typename Report>
std::string written(const Report& report) {
  std::string text;
  report([&](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
}

inline std::string text_of(const Findings& findings, bool notes) {
  return written([&](const Write& write) { report_text(findings, notes, write); });
}
inline std::string json_of(const Findings& findings) {
  return written([&](const Write& write) { report_json(findings, write); });
}
inline std::string sarif_of(const Findings& findings, std::string_view version) {
  return written([&](const Write& write) { report_sarif(findings, version, write); });
}

} // namespace hostpin::test
