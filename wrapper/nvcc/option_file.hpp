// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/response.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::nvcc {

/// nvcc refuses the file that would be the sixteenth open at once; so does a file that names itself end.
inline constexpr std::size_t option_file_depth = 15;

/// Files read for one call; nvcc knows no such limit, but nothing real comes near it.
inline constexpr std::size_t option_file_count = 4096;

/// One options file, split into words.
struct OptionFile {
  std::string path;
  std::string text;                    ///< what the words point into
  std::vector<std::string_view> words; ///< each is followed by a NUL
  bool sound = false;                  ///< nvcc can read it too
  bool gone = false;                   ///< it was a pipe and cannot be read a second time
};

/// Reads and splits one options file; one that cannot be read, or has a stray quote or backslash, is not
/// sound.
std::unique_ptr<OptionFile> open_option_file(std::string path, const cmdline::ArgumentFiles& files);

} // namespace hostpin::nvcc
