// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/command/options.hpp"
#include "hooks/leak-check/judge/rooted.hpp"
#include "hooks/leak-check/policy/policy.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <memory>
#include <string>
#include <vector>

namespace hostpin {

/// As named on the command line, made absolute and with symlinks resolved where they exist.
std::vector<std::string> absolute(const std::vector<std::string>& paths, const Files& files);

/// What a command line says that is right, with the binding that it names, or the one in force.
Result<Policy> policy_of(const LeakOptions& options, const Environment& environment, const Files& files);

/// The file system as it will be when the staged tree `root` is installed. An error when it is no directory,
/// or when one of `paths` does not lie in it as it is named: as it lies now, not as it will.
Result<std::unique_ptr<RootedFiles>> staged_root(const std::string& root,
                                                 const std::vector<std::string>& paths, const Files& files);

/// Makes what is named in the tree mean what it will be, adds where the tree's own symlinks lead to something
/// unwanted, and makes the tree's own path unwanted: nothing in it may refer to the stage.
void fit_to_root(Policy& policy, const RootedFiles& root);

} // namespace hostpin
