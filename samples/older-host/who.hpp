// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#if defined(__clang__)
#define WHO_FAMILY "Clang"
#define WHO_MAJOR __clang_major__
#define WHO_MINOR __clang_minor__
#else
#define WHO_FAMILY "GCC"
#define WHO_MAJOR __GNUC__
#define WHO_MINOR __GNUC_MINOR__
#endif

/// Which compiler this file is compiled by, such as `GCC 12.2`: each file that calls it has an answer of its
/// own.
static inline std::string this_compiler() {
  return WHO_FAMILY " " + std::to_string(WHO_MAJOR) + "." + std::to_string(WHO_MINOR);
}

/// The compiler of kernel.cu. Throws std::runtime_error when asked to, for who.cpp to catch.
std::string compiler_of_kernel(bool raise);
