// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/fix/fix.hpp"
#include "hooks/leak-check/fix/place.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// Takes out of the words for a linker in a pkg-config, libtool or CMake file what findings object to, and
/// tells what was left, line by line; nothing of either for other files. The file is replaced by a changed
/// copy with its owner and permissions, but not its time: what is made from it is to be made anew. An error
/// says why nothing was changed. The paths are the caller's.
Result<Fixes> fix_text_file(const FixPlace& place, const std::vector<const Finding*>& findings,
                            const World& world);

} // namespace hostpin
