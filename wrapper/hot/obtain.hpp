// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/cache.hpp"
#include "wrapper/plan/plan.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// What a plan file has at most: a plan is a few KB; larger files are not plans.
constexpr std::size_t plan_limit = std::size_t{1} << 20;

/// A plan and the bytes it points into.
struct Loaded {
  std::unique_ptr<std::string> bytes; ///< on the heap, so that moving does not move the characters
  plan::Plan plan;
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
  const plan::PlanFile* change = nullptr;
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

// Commands in hints: a shell runs them as they are printed.

/// The directory that hints name if the call does not know one, as in the manual pages.
constexpr const char* example_directory = "toolchain";

/// The hostpin that an unbound program belongs to: <prefix>/libexec/hostpin/nvcc to <prefix>/bin/hostpin.
std::string installed_command(const Self& self);

/// The directory that the user bound, for a program in it: for a program in a toolkit view, the view's root.
std::string bound_by_user(const Self& self);

/// A directory to bind for the thing that `path` names, next to `path` unless that is in the cache:
/// `toolchain-cuda-12.4`.
std::string bound_for(const Self& self, bool in_cache, std::string_view path);

/// `HOSTPIN bind ARGUMENTS`, quoted for a shell; `hostpin` is a path, so that PATH is not needed.
std::string bind_command(std::string_view hostpin, std::vector<std::string> arguments);

struct Advice {
  std::string message, hint;
};

/// For a program copied out of its bound directory or, by `cp -rL`, from a link to it: it has no plan next to
/// it and no hostpin around it. Nothing for a program of an installation.
std::optional<Advice> copied_program(const Self& self);

} // namespace hostpin::hot
