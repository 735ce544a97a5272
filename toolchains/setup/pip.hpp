// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/packages.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin::setup {

/// Directories for one call of pip; they are created.
struct PipPlaces {
  std::string work; ///< for temporary files, on the file system of the downloads
  std::string kept; ///< gets the wheels that pip downloads to read their metadata
};

/// Runs the resolver of the user's own pip, `python3 -m pip`, or pip by uv where Python has none: what it
/// would install for these requirements, as the JSON of its installation report. Wheels only: no code of an
/// index is run. Index, proxy and certificates are those of the user's configuration; what would change the
/// place of an installation is ignored. `retries`: of each connection; negative: as configured. Errors: no
/// pip, one older than 22.2, and pip's own.
Result<std::string> pip_report(const Context& context, std::span<const std::string> requirements,
                               const PipPlaces& places, int retries = -1);

/// Downloads wheels of a report by pip, which compares their hashes, to `places.kept`; several at a time.
Result<void> pip_download(const Context& context, std::span<const Package> wheels, const PipPlaces& places);

} // namespace hostpin::setup
