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

/// As found by find_self, were that program running.
Self self_of(const char* program);

/// Whether it is our `nvcc` or `c++`, bound or not.
bool is_ours(const Self& self);

/// A plan and the bytes it points into.
struct Loaded {
  std::unique_ptr<std::string> bytes; ///< on the heap, so that moving does not move the characters
  Plan plan;
  std::string cxx; ///< path of the `c++` that obeys this very plan; never empty
};

/// A plan, or the exit code to leave with; everything was said already.
struct Obtained {
  std::unique_ptr<Loaded> loaded;
  int exit_code = 0;
};

/// What is bound next to an executable of ours: nothing for an unbound one. With a message a call is refused,
/// and still loaded when a file behind the plan has changed.
struct Bound {
  std::unique_ptr<Loaded> loaded;
  const PlanFile* change = nullptr;
  std::string message, hint;
  bool touched = false; ///< a file has another time and the same content
};
Bound bound_plan(const Self& self);

/// The plan beside the executable, current; nothing loaded and exit code 0 when there is none (an unbound
/// call).
Obtained obtain_bound(const Self& self, char* const* envp);

/// A plan that was passed on instead of read from a file, for the program in `directory`; null when it is
/// none.
std::unique_ptr<Loaded> parse(std::string bytes, std::string_view directory);

/// The plan for an unbound call, or for a host compiler named on top of `base` (null: on top of nothing),
/// from the cache if it is there and current, else made by the hostpin command.
Obtained obtain_cached(const Self& self, const Loaded* base, const Naming& naming, char* const* envp);

} // namespace hostpin::hot
