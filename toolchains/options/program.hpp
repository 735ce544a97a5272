// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/options/options.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::options {

/// Prints an error to stderr, with its hint.
void print_failure(const Error& error);

/// The body of a program's main. Returns what `run` does for the arguments, or `failed` after an error of it,
/// which is printed with its hint, and after output that could not be written as a whole.
int run_program(int argc, const char* const* argv, int failed,
                const std::function<Result<int>(std::span<const char* const>)>& run);

/// <prefix>/share/hostpin/data, for a program in <prefix>/libexec/hostpin.
Result<std::string> installed_data();

/// The error for words that do not begin with a subcommand of `program`, with the name that is nearest.
tl::unexpected<Error> no_subcommand(const CLI::App& app, std::string_view program,
                                    const std::vector<std::string>& words,
                                    const std::vector<std::string>& known);

} // namespace hostpin::options
