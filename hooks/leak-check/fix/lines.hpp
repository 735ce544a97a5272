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

inline constexpr std::size_t most_wrong_lines = 100;

struct WrongLines {
  std::vector<WrongLine> lines;
  std::size_t more_from =
      0; ///< the line with the first unwanted path after `most_wrong_lines` lines; 0: none
};

/// The lines of a pkg-config file, libtool archive or CMake file that contain a path for which `unwanted`
/// returns true. A line should be the same without unwanted search directories and run paths, and with
/// `-lstdc++` and `-lgcc_s` instead of files of those libraries. Whether a library is in a removed directory
/// is not known here, so people decide. The time is linear in the text.
WrongLines wrong_lines(std::string_view text, const std::function<bool(std::string_view path)>& unwanted);

} // namespace hostpin::leak
