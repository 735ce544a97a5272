// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"

#include <optional>
#include <string>

namespace hostpin {

/// Prints an error to stderr: `hostpin: error: MESSAGE [CODE]` and `hint: HINT`; or, in a program that was
/// started with `Command::errors_as_json`, one line of JSON.
void print_failure(const Error& error);

/// The text that `print_failure` prints, for signal handlers, which cannot make it.
std::string failure_text(const Error& error);

/// The error that a program printed which was run with `Command::errors_as_json`. Several become one, of
/// several lines. Nothing if it printed none, such as after a crash.
std::optional<Error> reported_error(const Outcome& outcome);

} // namespace hostpin
