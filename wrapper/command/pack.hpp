// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/bind/binding.hpp"
#include "wrapper/command/context.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// An archive of a bound toolchain with all its dependencies.
struct PackOptions {
  std::string file;              ///< to write, absolute
  std::vector<std::string> with; ///< further files and directories to pack, absolute
};

/// What is wrong with a file name for an archive; nothing if it is usable.
std::optional<Error> without_archive_name(const std::string& file);

/// Determines what belongs to the binding in `directory`, and becomes the program that writes the archive.
/// Returns an exit code only on failure (reported).
int pack_bound(const Context& context, const Binding& binding, const std::string& directory,
               const PackOptions& options);

} // namespace hostpin
