// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <functional>
#include <string>

namespace hostpin {

/// Calls `file` for each regular file of a tree by its path, `link` for each symlink to one, and `trouble`
/// for a directory that cannot be read. Names of each directory come in byte order. Symlinks to directories
/// are not followed, so that loops end; devices, FIFOs and sockets are left out.
void each_file(const std::string& root, const std::function<void(const std::string& path)>& file,
               const std::function<void(const std::string& path)>& link,
               const std::function<void(const std::string& path, const Error&)>& trouble);

} // namespace hostpin
