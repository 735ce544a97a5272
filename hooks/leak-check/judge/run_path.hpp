// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/world.hpp"

#include <vector>

namespace hostpin {

/// Entry by entry: forbidden-runpath, build-directory, host-path-from-store, cuda-stub-runpath,
/// runpath-not-a-directory, dangling-runpath; and of all of them together cuda-compat-order and
/// driver-runpath. Only of files with something for the loader.
void judge_run_path(const TreeElf& elf, const World& world, const Tell& tell);

} // namespace hostpin
