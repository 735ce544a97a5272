// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/devicecode/commands.hpp"

#include <optional>

namespace CLI {
class App;
}

namespace hostpin::command {

/// Adds the options of `hostpin fatbin`, and its subcommands with their options.
void add_fatbin(CLI::App& app, FatbinOptions& options, FatbinChanges& changes);

/// Determines which of its own commands `app`, the parsed `fatbin`, got, and what is wrong with the arguments
/// apart from what the parser refuses. Nothing if it is another command's command line.
std::optional<Error> fatbin_misuse(const CLI::App& app, const FatbinOptions& options, FatbinChanges& changes);

} // namespace hostpin::command
