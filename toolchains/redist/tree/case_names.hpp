// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hostpin::redist {

/// Pairs of names among the paths and their directories that are equal but for the case of ASCII letters, and
/// paths that are a file and a directory at once, as a pair of the same name. `paths` are sorted.
std::vector<std::pair<std::string, std::string>> names_that_collide(const std::vector<std::string>& paths);

} // namespace hostpin::redist
