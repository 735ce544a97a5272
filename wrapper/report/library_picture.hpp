// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/report/content.hpp"
#include "wrapper/report/picture.hpp"

#include <cstddef>

namespace hostpin {

struct LibraryPicture {
  Picture picture;
  std::size_t left_out = 0; ///< groups of files that the picture has no room for; those in trouble never
                            ///< before the others
};

/// Files at the left, what they go by in between, the libstdc++ at the right. Files that lead to one in the
/// same way stand in one box, unless another file goes by them.
LibraryPicture library_picture(const ReportLibraries& libraries);

} // namespace hostpin
