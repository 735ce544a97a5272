// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

/// Says on stdout, and in the file at `log`, how `got` compares with `expected`; true when they are equal.
/// Throws std::runtime_error when the sizes differ or the log cannot be written.
bool report(const std::string& what, const std::vector<float>& got, const std::vector<float>& expected,
            const std::string& log);
