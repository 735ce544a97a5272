// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/key.hpp"
#include "wrapper/plan/plan.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace hostpin::hot {

/// Where this executable runs from.
struct Self {
  std::string path;      ///< symlinks resolved
  std::string directory; ///< of `path`
  std::string name;      ///< `nvcc` or `c++`: argv[0]'s last part if it is one of them, else `path`'s
};

Self find_self(const char* argv0);

/// What find_self would return if `program` were running.
Self self_of(const char* program);

/// Whether it is hostpin's `nvcc` or `c++`, bound or not.
bool is_ours(const Self& self);

/// A plan and the bytes it points into.
struct Loaded {
  std::unique_ptr<std::string> bytes; ///< on the heap, so that moving does not move the characters
  Plan plan;
  std::string cxx; ///< path of the `c++` that follows exactly this plan; never empty
};

/// A plan, or the exit code to end with; any error has been reported.
struct Obtained {
  std::unique_ptr<Loaded> loaded;
  int exit_code = 0;
};

/// What is bound next to an executable of hostpin: nothing for an unbound one. With a message, a call is
/// refused; still loaded if a dependency of the plan has changed.
struct Bound {
  std::unique_ptr<Loaded> loaded;
  const PlanFile* change = nullptr;
  std::string message, hint;
  bool touched = false; ///< a file has another time and the same content
};
Bound bound_plan(const Self& self);

/// The current plan next to the executable; nothing loaded and exit code 0 if there is none (an unbound
/// call).
Obtained obtain_bound(const Self& self, char* const* envp);

/// A plan that was passed on instead of read from a file, for the program in `directory`; null if the bytes
/// are not a plan.
std::unique_ptr<Loaded> parse(std::string bytes, std::string_view directory);

/// The plan for an unbound call, or for a host compiler named on top of `base` (null: no binding), from the
/// cache if it exists there and is current, else made by the hostpin command.
Obtained obtain_cached(const Self& self, const Loaded* base, const Naming& naming, char* const* envp);

} // namespace hostpin::hot
