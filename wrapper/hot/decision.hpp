// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_command.hpp"
#include "wrapper/hot/obtain.hpp"
#include "wrapper/nvcc/nvcc_environment.hpp"

#include <span>
#include <string_view>

namespace hostpin::hot {

/// Parses a call of nvcc as the toolkit of `bound` does; without a binding, as any toolkit might.
cmdline::NvccCall call_of(std::span<const char* const> arguments, const nvcc::NvccEnvironment& environment,
                          const Loaded* bound);

/// Whether the host compiler named on the call is left in place: it is hostpin's own `c++`, which must not be
/// wrapped in itself, or an empty name, left for nvcc to diagnose.
bool keeps_user_ccbin(const cmdline::NvccCommand& command, const Loaded* bound, const Self& self);

/// Whether a name means the plan's host compiler: the same entry of the same directory, since one
/// program may be another compiler under each of its names. `path`: where a name without a directory is
/// searched.
bool names_host_of(const plan::Plan& plan, std::string_view name, std::string_view path);

/// The plan that a call of `c++` has to follow: the plan that nvcc was started with, the bound one, the build
/// directory's, or what the environment decides; for the toolkit of the nvcc that runs it, if one does.
Obtained obtain_for_cxx(Self self, std::span<const char* const> arguments, char* const* envp);

/// The plan that a call of nvcc has to follow: `bound`, which is then moved from, or one made for the host
/// compiler it names.
Obtained obtain(const Self& self, Obtained&& bound, const cmdline::NvccCommand& command, char* const* envp);

} // namespace hostpin::hot
