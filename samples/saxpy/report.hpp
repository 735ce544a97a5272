// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

/// Prints on stdout and to the file at `log` how `got` compares with `expected`; true if they are equal.
/// Throws std::runtime_error if the sizes differ or the log cannot be written.
bool report(const std::string& what, const std::vector<float>& got, const std::vector<float>& expected,
            const std::string& log);
