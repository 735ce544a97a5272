// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>

namespace hostpin::setup {

/// Replaces a program or shared library (64-bit, little-endian) by one whose only search path is `path`, as a
/// DT_RPATH: unlike a DT_RUNPATH it also counts for the dependencies of the libraries that it finds. If
/// `loader` is not empty, it becomes the program's interpreter. The file's mode stays as it is. The error
/// names the file.
Result<void> set_search_path(const std::string& file, const std::string& path, const std::string& loader);

} // namespace hostpin::setup
