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

/// What becomes of link-time code that does not match. HOSTPIN_LTO outranks the plan. Nothing for another
/// value of that variable, having complained.
std::optional<CheckPolicy> lto_policy(const Plan& plan, const char* const* envp);

/// Lets `lto-check` judge a link of `c++`, `argv`, if its flags or one of its inputs ask for it. Returns 0
/// when the link is to go on, else the exit code, having complained. Its inputs are looked at here, so that a
/// link without link-time code starts no other program.
int check_lto(const Plan& plan, CheckPolicy policy, const CxxCall& call, const std::vector<const char*>& argv,
              std::span<const std::string_view> arguments, char* const* envp);

/// The same for a call of nvcc, whose device link nvlink does.
int check_device_lto(const Plan& plan, CheckPolicy policy, const cmdline::NvccCommand& command,
                     const std::vector<const char*>& argv, char* const* envp);

} // namespace hostpin::hot
