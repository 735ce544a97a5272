// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"
#include "hooks/leak-check/text/pkg_config.hpp"

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

/// References that are kept of one text, and the memory that they may take.
inline constexpr std::size_t most_references = 100'000;
inline constexpr std::size_t most_reference_bytes = std::size_t{12} << 20U;

/// The absolute paths in it, in order. It is cut, and says so, at `most_references` or
/// `most_reference_bytes`, where variables make too much of it, and where a name is longer than
/// `longest_key`.
TextFacts read_text(TextFacts::Kind kind, std::string_view bytes);

} // namespace hostpin
