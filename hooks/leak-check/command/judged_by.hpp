// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/command/options.hpp"
#include "hooks/leak-check/judge/files.hpp"
#include "hooks/leak-check/judge/policy.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <memory>
#include <string>
#include <vector>

namespace hostpin::leak {

/// As named on the command line, made absolute and with symlinks resolved if they exist.
std::vector<std::string> absolute(const std::vector<std::string>& paths, const Files& files);

/// The policy from the command line, with the binding that it names, or the one in force.
Result<Policy> policy_of(const LeakOptions& options, const Environment& environment, const Files& files);

/// The file system as it will be once the staged tree `root` is installed. An error if `root` is not a
/// directory, or if one of `paths` is not a present path in it.
Result<std::unique_ptr<RootedFiles>> staged_root(const std::string& root,
                                                 const std::vector<std::string>& paths, const Files& files);

/// Translates paths in the tree to those after installation, adds the targets of unwanted paths that are
/// symlinks in the tree, and the tree's present path: nothing in it may refer to the stage.
void fit_to_root(Policy& policy, const RootedFiles& root);

} // namespace hostpin::leak
