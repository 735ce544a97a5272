// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/place.hpp"

#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/SmallString.h>

namespace hostpin {

std::string file_path(const clang::SourceManager& sources, const clang::FileEntryRef& file) {
  llvm::SmallString<256> path(file.getName());
  sources.getFileManager().makeAbsolutePath(path);
  return path.str().str();
}

std::optional<Place> place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
  const clang::SourceLocation expansion = sources.getExpansionLoc(location);
  if (expansion.isInvalid())
    return std::nullopt;
  const auto file = sources.getFileEntryRefForID(sources.getFileID(expansion));
  if (!file)
    return std::nullopt;
  return Place{file_path(sources, *file),
               sources.getExpansionLineNumber(expansion),
               sources.getExpansionColumnNumber(expansion),
               {}};
}

} // namespace hostpin
