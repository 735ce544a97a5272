// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"
#include "wrapper/nvcc/nvcc_environment.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

// Which nvcc runs our `c++`, and the decision that a launcher without a cache passes to it through that nvcc.

namespace hostpin::hot {

/// The real nvcc that runs us as its host compiler.
struct Caller {
  std::string nvcc;  ///< beside its nvcc.profile, symlinks of the directory resolved
  pid_t process = 0; ///< 0: another program runs its sub-commands, as sccache does
};

/// Nothing when no nvcc runs this call of `c++`: the variables of an outer nvcc alone, as `nvcc -run` leaves
/// them to what it starts, do not count.
std::optional<Caller> calling_nvcc(std::span<const char* const> arguments, const char* const* envp);

/// The same, where it belongs to another toolkit than `bound`, the plan of the `c++` in `directory`. Costs
/// next to nothing where it does not.
std::optional<Caller> other_nvcc(const Plan& bound, std::string_view directory,
                                 std::span<const char* const> arguments, const char* const* envp);

/// The path of an nvcc that finds its parts beside itself, which is where its profile is, symlinks of the
/// directory resolved; empty for what is none.
std::string real_nvcc(const std::string& path);

/// Whether two nvcc belong to one toolkit: what nvcc finds beside itself is named by its profile, so a tree
/// of links to a toolkit is that toolkit.
bool same_toolkit(const std::string& nvcc, std::string_view other);

/// The variable that lets each `c++` below this process, which is about to become nvcc, obey `plan`; nothing
/// where the process cannot be told from others or the plan is too large.
std::optional<nvcc::VariableChange> handed_down(const Plan& plan);

/// The bytes of the plan that the launcher which became `caller` passed on; nothing when there is none, it is
/// another call's, or it is damaged.
std::optional<std::string> handed_plan(const Caller& caller, const char* const* envp);

/// Whether ccache runs that nvcc. It knows a host compiler by its file alone, and that of an unbound `c++` is
/// the same whatever it chooses.
bool is_below_ccache(const Caller& caller);

} // namespace hostpin::hot
