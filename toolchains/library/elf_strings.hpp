// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

// Real names are short and real files have some dozens of them. Records may share strings and each other, so
// without bounds a small file could cost much time and memory.
inline constexpr std::size_t longest_name = 4096;
inline constexpr std::uint64_t most_names = 65536;

/// The name at an index of a string table; nothing where it lies outside of it, or is longer than `longest`.
inline std::optional<std::string> string_at(std::string_view strings, std::uint64_t index,
                                            std::size_t longest = longest_name) {
  if (index >= strings.size())
    return std::nullopt;
  const std::string_view rest = strings.substr(static_cast<std::size_t>(index));
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos || end > longest)
    return std::nullopt;
  return std::string(rest.substr(0, end));
}

} // namespace hostpin
