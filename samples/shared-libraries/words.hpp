// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// `times` words in a row. Throws std::length_error above a million.
std::string some_words(unsigned times);
