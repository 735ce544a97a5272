// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/version.hpp"
#include "toolchains/gpus/expansion.hpp"
#include "toolchains/table/platforms.hpp"

#include <string_view>
#include <vector>

namespace hostpin::gpus {

/// Which GPUs are in the machines of a platform, such as `linux-sbsa`, for a toolkit of that version: a
/// triple that has a platform for Jetsons until some release has one platform for all machines from then on.
TargetGpus target_gpus(const std::vector<Platform>& platforms, std::string_view platform,
                       const Version& toolkit);

} // namespace hostpin::gpus
