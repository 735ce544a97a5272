// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/path_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::bind {

/// A TOML basic string, quotes included; bytes that are not UTF-8 are written as the replacement character.
std::string toml_string(std::string_view text);
/// A TOML array of strings on one line.
std::string toml_array(const std::vector<std::string>& items);
/// A CMake bracket argument that holds the text whatever is in it.
std::string cmake_string(std::string_view text);

} // namespace hostpin::bind
