// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin::options {

/// The error that `what`, such as `hostpin wheel`, needs a component that is not installed, and how to get
/// it.
Error absent_component(const std::string& what, const std::string& component);

/// The body of a program's main. Returns what `run` does for the arguments, or `failed` after an error of it,
/// which is printed with its hint, and after output that could not be written as a whole.
int run_program(int argc, const char* const* argv, int failed,
                const std::function<Result<int>(std::span<const char* const>)>& run);

/// <prefix>/share/hostpin/data, for a program in <prefix>/libexec/hostpin.
Result<std::string> installed_data();

struct Subcommand {
  const char* name;
  const char* description;
};

/// The place in `known` of the subcommand that the arguments of `hostpin program` begin with. None if they
/// ask for help, which is then on stdout in `width` columns. It is an error if they begin with another word.
Result<std::optional<std::size_t>> find_subcommand(const char* description, const std::string& program,
                                                   std::span<const Subcommand> known,
                                                   std::span<const char* const> arguments, std::size_t width);

/// The same for subcommands with more than a name and a description. None: null.
template <typename Command>
Result<const Command*> find_command(const char* description, const std::string& program,
                                    std::span<const Command> known, std::span<const char* const> arguments,
                                    std::size_t width) {
  const std::vector<Subcommand> names(known.begin(), known.end());
  TRY_ASSIGN(const auto place, find_subcommand(description, program, names, arguments, width));
  return place ? &known[*place] : nullptr;
}

} // namespace hostpin::options
