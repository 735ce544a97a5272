// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Commands in hints: a shell runs them as they are printed.

namespace hostpin::hot {

/// The directory to bind where a call knows none: the one of the manual pages.
constexpr const char* example_directory = "toolchain";

/// The hostpin that an unbound program belongs to: <prefix>/libexec/hostpin/nvcc to <prefix>/bin/hostpin.
std::string command_beside(const Self& self);

/// The directory that a user bound, of a program in it: of a toolkit view the one around ours.
std::string bound_by_user(const Self& self);

/// A directory to bind for what `path` names, next to that one unless it is in the cache:
/// `toolchain-cuda-12.4`.
std::string bound_for(const Self& self, bool in_cache, std::string_view path);

/// `HOSTPIN bind ARGUMENTS`, as words of a shell; `hostpin` is a path, which needs no PATH.
std::string bind_command(std::string_view hostpin, std::vector<std::string> arguments);

struct Advice {
  std::string message, hint;
};

/// Of a program that was copied out of its bound directory, or with what its link there led to (`cp -rL`): it
/// has no plan next to it, and no hostpin around it. Nothing for one of an installation.
std::optional<Advice> copied_program(const Self& self);

} // namespace hostpin::hot
