// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>

namespace hostpin::setup {

/// Replaces a program or shared library (64-bit, little-endian) by one whose only search path is `path`, as a
/// DT_RPATH: unlike a DT_RUNPATH it also counts for the dependencies of the libraries that it finds. If
/// `loader` is not empty, it becomes the program's interpreter. The strings are in a segment that is added at
/// the end, so that nothing else gets another address: patchelf 0.18, which Debian 13 has, makes cc1plus a
/// program with overlapping segments, which crashes. The file's mode stays as it is. The error names the
/// file.
Result<void> set_search_path(const std::string& file, const std::string& path, const std::string& loader);

} // namespace hostpin::setup
