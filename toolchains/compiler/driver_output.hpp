// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Views into a driver's output, which may be any bytes.
using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text);

/// The first words of a text, at most `most`.
std::vector<std::string_view> words_of(std::string_view text, std::size_t most);

/// The numbers after each marked key.
using Marked = std::map<std::string, std::vector<long>, std::less<>>;

/// The numbers in a driver's preprocessed lines `hostpin_probe KEY NUMBER...`; line markers between them are
/// ignored. Keys whose numbers cannot be read are left out, and the first occurrence of a repeated key is
/// used.
Marked marked_numbers(std::string_view all);

/// The line of a driver's output that best describes what went wrong, made safe to print.
std::string complaint(const Lines& lines);

} // namespace hostpin
