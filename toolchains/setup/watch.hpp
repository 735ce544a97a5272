// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/threads.hpp"
#include "toolchains/setup/packages.hpp"

#include <cstdint>
#include <string>

namespace hostpin::setup {

/// Bytes of the files in a directory and those below it; 0 if there is none.
std::uint64_t bytes_below(const std::string& directory);

/// Reports, for as long as it lives, how many bytes are below a directory.
class DirectoryWatch {
public:
  DirectoryWatch(const std::string& directory, Progress& progress);

private:
  Ticker ticker_;
};

} // namespace hostpin::setup
