// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"
#include "hooks/leak-check/scan/text_variables.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace hostpin::leak {

/// The kind of a text file whose paths other tools use, by its name and first bytes; nothing for others.
std::optional<TextFacts::Kind> text_kind(std::string_view path, std::string_view beginning);

/// Longer files are not texts of these kinds.
inline constexpr std::size_t longest_text = std::size_t{4} << 20U;
/// Limit for expanded bytes in one of them: 4 MB of text can name a variable of 64 KB a million times.
inline constexpr std::size_t most_composed = 4 * longest_text;

/// Limits for the references of one text: their number, and their memory.
inline constexpr std::size_t most_references = 100'000;
inline constexpr std::size_t most_reference_bytes = std::size_t{12} << 20U;

/// The absolute paths in it, in order. `is_cut` if that exceeds `most_references`, `most_reference_bytes` or
/// `most_composed`, or a name is longer than
/// `longest_key`.
TextFacts read_text(TextFacts::Kind kind, std::string_view bytes);

} // namespace hostpin::leak
