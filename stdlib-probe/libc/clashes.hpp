// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/libc/clash.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Headers as a host compiler would find them.
struct HostHeaders {
  bool clang = false;                   ///< they are read as Clang reads them; else as GCC
  Version compiler;                     ///< whose macros they see
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
  std::string c_library;      ///< `glibc 2.41`; empty where the headers do not say
  bool system = false; ///< the toolkit's headers are the compiler's own, to which nvcc's front end is lenient
  std::vector<std::string> files; ///< read, or looked for in vain
};

/// Reads the toolkit's cuda_runtime.h over the C library's headers, as nvcc's front end does before any .cu
/// file, and compares how both sides declare the same function. The C++ library's headers are left out: it
/// declares none of these functions itself. An error when too little could be read to tell.
Result<Comparison> compare_declarations(const ToolkitHeaders& toolkit, const HostHeaders& host,
                                        const std::string& resources);

} // namespace hostpin
