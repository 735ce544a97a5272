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

/// The numbers behind each marked word, by its key.
using Marked = std::map<std::string, std::vector<long>, std::less<>>;

/// What a driver made of the lines `hostpin_probe KEY NUMBER...` that it was given to preprocess, whatever it
/// says between them of files and lines; keys whose numbers cannot be read are left out, and of a repeated
/// key the first counts.
Marked marked_numbers(std::string_view all);

/// The one line of a driver's own words that best says what went wrong, made safe to print.
std::string complaint(const Lines& lines);

} // namespace hostpin
