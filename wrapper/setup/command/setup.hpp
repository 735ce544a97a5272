// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/command/context.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// A toolchain in a directory, from nothing.
struct SetupOptions {
  std::string directory;
  std::optional<std::string> stdenv;
  std::optional<std::string> cuda, gcc, clang, from; ///< see setup::Asked
  std::vector<std::string> suites, libraries;
  std::optional<std::string> keyring;
  bool dry_run = false; ///< print what would be done
  bool json = false;    ///< as JSON
  bool yes = false;     ///< do it without a question
  bool accept_eula = false;
  bool refresh = false; ///< decide again for a directory that is set up
};
int run_setup(const Context& context, const SetupOptions& options);

} // namespace hostpin::command
