// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/path_text.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Where a path begins and ends among other bytes.

namespace hostpin::leak {

/// Bytes around a needle; with a stride of two, the characters of UTF-16 that are also ASCII.
struct Surroundings {
  std::string_view bytes;
  std::size_t stride = 1;

  /// The character `steps` away from `at`; nothing outside the bytes.
  std::optional<char> next(std::size_t at, std::size_t steps) const;
  std::optional<char> previous(std::size_t at, std::size_t steps) const;
};

/// What precedes the slash at `at`.
enum class Beginning {
  path,     ///< no part of a path: the slash begins an absolute path
  attached, ///< other text: a relative path, or the end of another string
  inside,   ///< the beginning of a longer path
};
Beginning beginning(const Surroundings& surroundings, std::size_t at);

/// Whether a file name ends before `at`.
bool ends_name(const Surroundings& surroundings, std::size_t at);

/// The bytes around `at` that may belong to one path, `reach` at most to either side.
std::string_view path_around(std::string_view bytes, std::size_t at, std::size_t reach);

/// With a backslash before each slash, as some writers of JSON do, and without it.
std::string escaped(std::string_view path);
std::string unescaped(std::string_view text);

/// How many bytes of a text `unescaped` makes into its first `count` characters.
std::size_t escaped_length(std::string_view text, std::size_t count);

} // namespace hostpin::leak
