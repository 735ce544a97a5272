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

/// The compiler of the file that calls it, such as `GCC 12.2`.
static inline std::string this_compiler() {
  return WHO_FAMILY " " + std::to_string(WHO_MAJOR) + "." + std::to_string(WHO_MINOR);
}

/// The compiler of kernel.cu. Throws std::runtime_error if `raise`, for who.cpp to catch.
std::string compiler_of_kernel(bool raise);
