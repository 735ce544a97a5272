// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"
#include "wrapper/nvcc/nvcc_environment.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

// Which nvcc runs hostpin's `c++`, and the decision that a launcher without a cache passes on through it.

namespace hostpin::hot {

/// The real nvcc that runs the launcher as its host compiler.
struct Caller {
  std::string nvcc;  ///< next to its nvcc.profile, symlinks of the directory resolved
  pid_t process = 0; ///< 0: another program runs its sub-commands, as sccache does
};

/// Nothing if no nvcc runs this call of `c++`: the variables of an outer nvcc alone, which programs started
/// by `nvcc -run` also have, do not count.
std::optional<Caller> calling_nvcc(std::span<const char* const> arguments, const char* const* envp);

/// The same, if it belongs to another toolkit than `bound`, the plan of the `c++` in `directory`. Costs
/// almost nothing if it does not.
std::optional<Caller> other_nvcc(const plan::Plan& bound, std::string_view directory,
                                 std::span<const char* const> arguments, const char* const* envp);

/// The path of an nvcc that finds its parts next to itself, that is, next to its profile, with symlinks of
/// the directory resolved; empty for any other program.
std::string real_nvcc(const std::string& path);

/// Whether two nvcc belong to one toolkit: the profile names what nvcc finds next to itself, so a tree of
/// links to a toolkit counts as that toolkit.
bool same_toolkit(const std::string& nvcc, std::string_view other);

/// The variable that makes each `c++` below this process, which is about to become nvcc, follow `plan`;
/// nothing if the process cannot be distinguished from others or the plan is too large.
std::optional<nvcc::VariableChange> handed_down(const plan::Plan& plan);

/// The bytes of the plan that the launcher which became `caller` passed on; nothing if there is none, it
/// belongs to another call, or it is damaged.
std::optional<std::string> handed_plan(const Caller& caller, const char* const* envp);

/// Whether ccache runs that nvcc. ccache identifies a host compiler by its file only, and an unbound `c++`
/// has the same file whatever it selects.
bool is_below_ccache(const Caller& caller);

} // namespace hostpin::hot
