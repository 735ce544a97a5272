// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace hostpin {

/// The target of the symlink at an absolute path, whose directories are no symlinks; empty if it is a file or
/// a directory, nothing if there is neither.
using LinkAt = std::function<std::optional<std::string>(const std::string& path)>;

/// An absolute path with every symlink resolved in the order in which Linux does it, in a tree that need not
/// be on disk. Nothing if a component does not exist, or after 40 symlinks.
std::optional<std::string> resolved(const std::string& path, const LinkAt& link_at);

} // namespace hostpin
