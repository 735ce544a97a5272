// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"
#include "wrapper/plan/plan.hpp"

#include <string>
#include <string_view>

// What compiler caches (ccache, sccache) need to see of a compiler.

namespace hostpin::hot {

/// `nvcc --hostpin-fingerprint PROGRAM`.
constexpr std::string_view fingerprint_option = "--hostpin-fingerprint";

/// 32 hexadecimal digits over what the environment and the plan contribute to a call; the cache itself hashes
/// the arguments.
std::string fingerprint(const plan::Plan& plan, const char* const* envp);

/// Prints the size and time of a program and, for an nvcc or c++ of hostpin, its fingerprint in this
/// environment: for ccache's compiler_check. The exit code, 2 if the call itself would be refused.
int print_fingerprint(const char* program, char* const* envp);

/// True if ccache launched this unbound program with its default compiler check, size and time: it would then
/// reuse objects across decisions. Reports that as an error.
bool under_unconfigured_ccache(const Self& self, const char* const* envp);

/// Reports that ccache runs the nvcc that runs hostpin's unbound `c++`, which no compiler check of ccache
/// covers.
void refuse_uncheckable_ccache(const Self& self);

/// Whether sccache runs the launcher. It uses the text that `-E` prints as its key.
bool under_sccache();

} // namespace hostpin::hot
