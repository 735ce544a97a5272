// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/syntax.hpp"

#include <optional>
#include <string>

namespace clang {
class FileEntryRef;
class SourceLocation;
class SourceManager;
} // namespace clang

namespace hostpin {

/// Where a location is for a person, macros followed to where they were used; nothing outside of files.
std::optional<Place> place_of(const clang::SourceManager& sources, clang::SourceLocation location);

/// The absolute path of a file that was read.
std::string file_path(const clang::SourceManager& sources, const clang::FileEntryRef& file);

} // namespace hostpin
