// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "wrapper/slices/dry_run.hpp"
#include "wrapper/slices/store.hpp"

#include <string>
#include <string_view>

namespace hostpin::slices {

/// Stands in stored texts for the directory of a call's temporary files.
inline constexpr std::string_view directory_placeholder = "@HOSTPIN_SLICES@";

/// The key of what a step makes: a digest of its command line, of the contents of all files that it reads,
/// and of the tool, its library of device functions included. Two calls in different directories for
/// temporary files have the same key. Empty if a file cannot be read or a library is not found: the step is
/// then not stored.
std::string slice_key(const Step& step, const std::string& directory, const Environment::Variables& variables,
                      const DryRun& run, const Store& store);

} // namespace hostpin::slices
