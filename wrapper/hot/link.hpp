// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_command.hpp"
#include "wrapper/cxx/role.hpp"
#include "wrapper/plan/plan.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::hot {

constexpr std::string_view lto_policy_hint = "set it to error, warn or off";

/// <prefix>/libexec/hostpin/`name` for the plan's <prefix>/bin/hostpin. Empty if it does not exist.
std::string installed(const plan::Plan& plan, std::string_view name);

/// What to do about link-time code that does not match. HOSTPIN_LTO overrides the plan. Nothing for an
/// invalid value of that variable, which has been reported.
std::optional<CheckPolicy> lto_policy(const plan::Plan& plan, const char* const* envp);

/// Runs `lto-check` on a link of `c++`, `argv`, if its flags or one of its inputs require it. Returns 0 if
/// the link can proceed, else the exit code, with the error reported. Inputs are scanned here, so that a link
/// without link-time code starts no other program.
int check_lto(const plan::Plan& plan, CheckPolicy policy, const cxx::CxxCall& call,
              const std::vector<const char*>& argv, std::span<const std::string_view> arguments,
              char* const* envp);

/// The same for a call of nvcc, whose device link nvlink runs.
int check_device_lto(const plan::Plan& plan, CheckPolicy policy, const cmdline::NvccCommand& command,
                     const std::vector<const char*>& argv, char* const* envp);

/// Links; if that fails because the C++ library is too old, explains it. Then verifies that the output finds
/// the symbol versions it needs in the libraries it will load; if not, removes it and refuses. Returns the
/// exit code; dies of the signal that killed the linker's driver. `arguments`: of the call, `argv`: the
/// command to run.
int link_and_prove(const plan::Plan& plan, const cxx::CxxCall& call, const std::vector<const char*>& argv,
                   std::span<const std::string_view> arguments, char* const* envp);

/// Runs a call that compiles and links as two steps, with `cxx`, hostpin's `c++`: so the host compiler
/// compiles with `-c`, and the link is pinned. Returns the exit code.
int compile_and_link(const std::string& cxx, const plan::Plan& plan,
                     std::span<const std::string_view> arguments, char* const* envp);

} // namespace hostpin::hot
