// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin::probe {

/// The headers of one C++ standard library and its directories, found without a compiler.
struct HeaderSet {
  std::string gcc_install; ///< directory of the GCC installation; empty for libc++ and loose headers
  std::string version;     ///< of that GCC, as its directory is named; empty likewise
  std::string triple;      ///< as a directory is named; empty if none names it
  bool libcxx = false;
  std::vector<std::string> directories; ///< to search for headers, in the order of a driver
  std::vector<std::string> libraries;   ///< to search for libraries, likewise; empty for loose headers
};

struct HeaderLayout {
  std::vector<HeaderSet> sets;
  std::vector<std::string> looked; ///< directories that were listed
};

/// The headers in a system root: every GCC installation, newest first, for each target, then libc++.
HeaderLayout sysroot_headers(const Files& files, const std::string& sysroot);

/// The headers in directories or anywhere below them, such as in an extracted package. One set for each
/// library, and for each target if its configuration is in a separate directory. Searches a bounded number of
/// directories.
HeaderLayout loose_headers(const Files& files, std::span<const std::string> directories);

} // namespace hostpin::probe
