// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_command.hpp"
#include "wrapper/nvcc/gpu_list.hpp"
#include "wrapper/nvcc/nvcc_environment.hpp"

#include <forward_list>
#include <string>
#include <vector>

namespace hostpin::nvcc {

/// The call to make instead. The pointers lead into the original call, into its parsed form and into `owned`.
struct Rewrite {
  std::vector<const char*> arguments; ///< without argv[0] and without a null at the end
  std::vector<VariableChange> variables;
  std::forward_list<std::string> owned;
};

/// The same call with `cxx` as its host compiler: at the front as `-ccbin <cxx>` if none is named, else
/// everywhere the winning value occurs, so that nvcc sees as many different values as before and gives the
/// same warnings. An options file that names it, or that cannot be read twice, is replaced by its arguments;
/// a flags variable that cannot contain `cxx` (its arguments cannot contain blanks) moves into the
/// arguments. A call that names no target directory gets `-target-dir <target_directory>` at the front,
/// unless that is null or empty. With `gpus` that are replaced, the call's GPU options are removed wherever
/// they are, in variables and options files as well, and theirs are added at the front. All other bytes and
/// their order stay the same.
Rewrite rewrite(const cmdline::NvccCall& call, const cmdline::NvccCommand& command, const char* cxx,
                const char* target_directory = nullptr, const GpuChange* gpus = nullptr);

/// The same call with the host compiler it names, or none: the only changes are those of `gpus`, and that an
/// options file which cannot be read twice, and was read to find the name, is replaced by its arguments.
Rewrite as_given(const cmdline::NvccCall& call, const cmdline::NvccCommand& command,
                 const GpuChange* gpus = nullptr);

} // namespace hostpin::nvcc
