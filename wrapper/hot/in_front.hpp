// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"
#include "wrapper/plan/plan.hpp"

#include <string>
#include <string_view>

// What caches that stand before a compiler (ccache, sccache) need to see of it.

namespace hostpin::hot {

/// `nvcc --hostpin-fingerprint PROGRAM`.
constexpr std::string_view fingerprint_option = "--hostpin-fingerprint";

/// 32 hexadecimal digits for what the environment and the plan make of a call; its arguments are the cache's
/// to look at.
std::string fingerprint(const Plan& plan, const char* const* envp);

/// Prints the size and time of a program, and, of an nvcc or c++ of ours, its fingerprint in this
/// environment: for ccache's compiler_check. The exit code, 2 when the call itself would be refused.
int print_fingerprint(const char* program, char* const* envp);

/// Whether ccache runs us, who are not bound, knowing us by size and time alone: what it keeps of this call
/// it would hand out under any other decision. Complains of that.
bool kept_blindly(const Self& self, const char* const* envp);

/// Reports that ccache runs the nvcc that runs our unbound `c++`; no compiler check of ccache's covers that
/// one.
void refuse_blind_cache(const Self& self);

/// Whether sccache runs us. It keeps a call under the text that `-E` prints.
bool kept_by_text();

} // namespace hostpin::hot
