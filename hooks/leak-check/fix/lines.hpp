// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// A line of a text that contains an unwanted path.
struct WrongLine {
  std::size_t line = 0; ///< from 1
  std::string before;
  std::string after; ///< what it should be; equal to `before`: not known

  bool operator==(const WrongLine&) const = default;
};

/// The lines of a pkg-config file, libtool archive or CMake file that contain a path for which `unwanted`
/// returns true, `most_wrong_lines` at most. They should be the same without the search directories and run
/// paths that are unwanted, and with `-lstdc++` and `-lgcc_s` instead of files of those libraries. Whether a
/// library is in a removed directory is not known here, so people decide. The time is linear in the text.
std::vector<WrongLine> wrong_lines(std::string_view text,
                                   const std::function<bool(std::string_view path)>& unwanted);

inline constexpr std::size_t most_wrong_lines = 100;

} // namespace hostpin::leak
