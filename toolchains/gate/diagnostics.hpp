// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// One error of a preprocessor that read its translation unit from standard input.
struct Diagnostic {
  unsigned included_at = 0; ///< line of standard input whose #include led there; 0 for standard input itself
  std::string file;         ///< empty when the compiler named no place
  unsigned line = 0;
  std::string text;
  bool directive = false; ///< the `#error` directive, and not a mistake
};

/// Reads the errors of GCC (without source lines) or Clang (with source lines: only they tell an #error from
/// another error). Warnings, notes and whatever else is printed are passed over.
std::vector<Diagnostic> diagnostics(std::string_view errors);

} // namespace hostpin
