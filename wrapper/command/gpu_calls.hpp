// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/config/config.hpp"
#include "wrapper/command/context.hpp"
#include "wrapper/nvcc/gpu_list.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// A call of a build that names other GPUs than its binding.
struct GpuCall {
  std::string file;   ///< that it compiles, as compile_commands.json has it
  std::string asked;  ///< as in nvcc::GpuChange; `?` if its GPU options are not understood
  std::string made;   ///< what a call with --enforce would be compiled for; empty if it would keep its GPUs
  std::string reason; ///< why it would
  /// The options that name GPUs, and where: `-arch=sm_70`, `-gencode=... (NVCC_APPEND_FLAGS)`; empty if none.
  std::vector<std::string> origins;
};

/// What the calls of a build directory compile for, compared with the binding that they go through.
struct GpuCalls {
  std::string build;     ///< directory of compile_commands.json
  std::string directory; ///< the bound one
  GpuPolicy policy = GpuPolicy::as_named;
  std::string list;            ///< `sm_80 compute_80`
  std::vector<GpuCall> differ; ///< in the order of compile_commands.json
  std::size_t compared = 0;    ///< calls
  std::string capabilities;    ///< the list as it was given to bind

  /// Whether the policy leaves a call with other GPUs than the list's.
  bool is_violated() const;
  /// Whether it leaves this one of `differ`.
  bool is_violated_by(const GpuCall& call) const;
};

/// Reads `build`/compile_commands.json, and the calls in it of nvccs that are bound with a list of GPUs: one
/// result for each bound directory. Nothing if the file does not exist; an error if it, or what an nvcc in it
/// is bound with, cannot be read.
Result<std::vector<GpuCalls>> gpu_calls(const Context& context, const std::string& build);

} // namespace hostpin::command
