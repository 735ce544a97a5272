// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/facts.hpp"
#include "wrapper/setup/asked.hpp"

#include <string>
#include <vector>

namespace hostpin::setup {

/// What `hostpin redist lock` is given where the user names no lock.
struct RedistChoice {
  std::string manifest;              ///< its URL
  std::vector<std::string> packages; ///< as that release names them, with what the libraries need
};

/// The manifest that the user names, or the newest of the release, or of all. `--cuda 12.4.0` names one of
/// that label. Errors: a release or a library without a row.
Result<RedistChoice> redist_choice(const redist::Facts& facts, const Asked& asked);

/// The packages of those libraries in that release, as NVIDIA's manifests name them (`libcublas`), with what
/// they need. The error names the library without a row.
Result<std::vector<std::string>> library_packages(const redist::Facts& facts,
                                                  const std::vector<std::string>& libraries,
                                                  const Version& release);

} // namespace hostpin::setup
