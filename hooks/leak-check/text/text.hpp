// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace hostpin {

/// Which of the texts that hand paths on a file is, by its name and its first bytes; nothing for all others.
std::optional<TextFacts::Kind> text_kind(std::string_view path, std::string_view beginning);

/// Longer ones are no texts of these kinds.
inline constexpr std::size_t longest_text = std::size_t{4} << 20U;
/// Bytes that may be made of variables in one of them: 4 MB of text can name one of 64 KB a million times.
inline constexpr std::size_t most_composed = 4 * longest_text;

/// The absolute paths in it, in order; cut at 100,000, or where variables make too much of it.
TextFacts read_text(TextFacts::Kind kind, std::string_view bytes);

} // namespace hostpin
