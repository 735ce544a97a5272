// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/libc/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::probe {

/// Headers as a host compiler would find them.
struct HostHeaders {
  bool clang = false;                   ///< they are read as by Clang; else as by GCC
  Version compiler;                     ///< the release whose macros they see
  std::vector<std::string> directories; ///< as searched, in order
  std::string target;                   ///< normalised triple; empty: this machine's
};

/// A toolkit's headers.
struct ToolkitHeaders {
  std::vector<std::string> directories; ///< nvcc's own, in order
  std::optional<Version> release;
};

struct Comparison {
  std::vector<Clash> clashes; ///< sorted by name
  unsigned compared = 0;      ///< functions that both sides declare
  std::string c_library;      ///< `glibc 2.41`; empty if the headers do not define it
  bool system = false; ///< the toolkit's headers are system headers, with which nvcc's front end is lenient
  std::vector<std::string> files; ///< that were read, or were not found
};

/// Reads the toolkit's cuda_runtime.h after the C library's headers, as nvcc's front end does before any .cu
/// file, and compares how both sides declare the same function. The C++ library's headers are left out: it
/// declares none of these functions itself. An error if too little could be read.
Result<Comparison> compare_declarations(const ToolkitHeaders& toolkit, const HostHeaders& host,
                                        const std::string& resources);

} // namespace hostpin::probe
