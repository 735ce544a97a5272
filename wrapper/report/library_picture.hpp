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

/// Files at the left, their intermediate libraries, the libstdc++ at the right. Files that lead to one in the
/// same way share a box, unless another file depends on them.
LibraryPicture library_picture(const ReportLibraries& libraries);

} // namespace hostpin
