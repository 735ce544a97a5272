// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>

namespace hostpin::redist {

/// SHA-256 of a file, symbolic link or tree in the form of a Nix archive, as 64 lower-case hexadecimal
/// digits: what `nix-hash --type sha256` prints. It covers names, contents, targets of symbolic links and the
/// owner's execute bits, not times, owners or other permissions. An error if something is neither a regular
/// file, a directory nor a symbolic link, or cannot be read.
Result<std::string> nar_sha256(const std::string& path);

} // namespace hostpin::redist
