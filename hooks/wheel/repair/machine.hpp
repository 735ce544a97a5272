// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/repair/plan.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"

#include <string>
#include <vector>

namespace hostpin::wheel {

/// Libraries of this machine as its loader finds them: by the run paths of the file that needs one, in
/// `directories`, then where it searches by itself. Other machines' libraries are not found.
FindLibrary libraries_here(std::vector<std::string> directories, const Files& files,
                           const Processes& processes);

} // namespace hostpin::wheel
