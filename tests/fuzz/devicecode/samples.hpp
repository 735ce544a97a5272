// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/fuzz/structured.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::test {

/// An input that begins so is a list of choices (tests/fuzz/structured.hpp): which entries of a sample's
/// fatbins change, then which headers of the file.
inline constexpr std::string_view choices_mark = "\xf5\xfa";

/// The file that an input stands for: itself, or the sample that it chooses and changes.
std::string device_file(std::string_view input);

/// A library, an object, an archive of objects or a file of fatbins, as its members say.
std::string device_file(const Node& file);

/// Some plain inputs, and others of choices.
std::vector<std::string> with_choices(std::vector<std::string> seeds, std::size_t count);

} // namespace hostpin::test
