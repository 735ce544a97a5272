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

/// The file and line of a location, for macros where they were used; nothing outside files.
std::optional<Place> place_of(const clang::SourceManager& sources, clang::SourceLocation location);

/// The absolute path of a file that was read.
std::string file_path(const clang::SourceManager& sources, const clang::FileEntryRef& file);

} // namespace hostpin
