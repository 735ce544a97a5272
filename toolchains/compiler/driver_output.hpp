// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/compiler/real_driver.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// What drivers print, about themselves with -v too, and which files they would read if those existed.

namespace hostpin {

/// Views into a driver's output, which may be any bytes.
using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text);

/// The first words of a text, at most `most`.
std::vector<std::string_view> words_of(std::string_view text, std::size_t most);

/// The numbers after each marked key.
using Marked = std::map<std::string, std::vector<long>, std::less<>>;

/// The numbers in a driver's preprocessed lines `hostpin_probe KEY NUMBER...`; line markers between them are
/// ignored. Keys whose numbers cannot be read are left out, and the first occurrence of a repeated key is
/// used.
Marked marked_numbers(std::string_view all);

/// The line of a driver's output that best describes what went wrong, made safe to print.
std::string complaint(const Lines& lines);

/// The rest of each line that starts with `marker`.
std::vector<std::string> lines_after(const Lines& lines, std::string_view marker);

/// True if the -v output comes from `driver` itself: GCC's driver prints the name it was called by, Clang's
/// its directory. A wrapper of that name prints neither.
bool is_driver_itself(const Lines& lines, const RealDriver& driver, Family family, const Files& files);

/// The specs files that GCC's driver looks for in each directory of LIBRARY_PATH, relative to it.
std::vector<std::string> specs_names(const Compiler& compiler);

/// GCC's driver reads a file named specs where it looks for start files: the paths of these, existing or not.
std::vector<std::string> specs_files(const Lines& lines, const Compiler& compiler);

/// Clang's driver reads configuration files next to it and in directories that it prints, which are named
/// after the target or the driver: the paths of these, existing or not.
std::vector<std::string> configuration_files(const Lines& lines, const RealDriver& driver);

/// The directory of Clang's configuration files that depends on the calling user; empty if there is none.
std::string user_configuration(const Lines& lines);

} // namespace hostpin
