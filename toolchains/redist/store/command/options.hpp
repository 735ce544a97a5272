// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/store/fetch.hpp"

#include <span>
#include <string>

namespace hostpin::redist {

/// The command line of `hostpin redist fetch`.
struct FetchArguments {
  std::string help; ///< the text of --help if requested; then nothing else counts
  std::string lock; ///< path
  std::string store;
  FetchOptions options;
};

Result<FetchArguments> read_fetch_arguments(std::span<const char* const> arguments);

} // namespace hostpin::redist
