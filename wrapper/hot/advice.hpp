// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Commands in hints: a shell runs them as they are printed.

namespace hostpin::hot {

/// The directory that hints name if the call does not know one, as in the manual pages.
constexpr const char* example_directory = "toolchain";

/// The hostpin that an unbound program belongs to: <prefix>/libexec/hostpin/nvcc to <prefix>/bin/hostpin.
std::string command_beside(const Self& self);

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
