// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_command.hpp"
#include "wrapper/cxx/role.hpp"
#include "wrapper/plan/plan.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hostpin::hot {

constexpr std::string_view lto_policy_hint = "it is one of error, warn and off";

/// What to do about link-time code that does not match. HOSTPIN_LTO overrides the plan. Nothing for an
/// invalid value of that variable, which has been reported.
std::optional<CheckPolicy> lto_policy(const Plan& plan, const char* const* envp);

/// Runs `lto-check` on a link of `c++`, `argv`, if its flags or one of its inputs require it. Returns 0 if
/// the link can proceed, else the exit code, with the error reported. Inputs are scanned here, so that a link
/// without link-time code starts no other program.
int check_lto(const Plan& plan, CheckPolicy policy, const CxxCall& call, const std::vector<const char*>& argv,
              std::span<const std::string_view> arguments, char* const* envp);

/// The same for a call of nvcc, whose device link nvlink runs.
int check_device_lto(const Plan& plan, CheckPolicy policy, const cmdline::NvccCommand& command,
                     const std::vector<const char*>& argv, char* const* envp);

} // namespace hostpin::hot
