// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/setup/packages.hpp"
#include "wrapper/setup/plan.hpp"
#include "wrapper/setup/progress.hpp"
#include "wrapper/setup/record.hpp"
#include "wrapper/setup/redist_choice.hpp"

#include <string>
#include <vector>

namespace hostpin::setup {

/// What the work needs.
struct Workshop {
  const Context& context;
  std::string directory;     ///< that is set up
  std::string redist;        ///< the program that fetches and composes NVIDIA's archives
  PackageClient* client;     ///< null: files are in `carried`, or are NVIDIA's archives
  std::string carried;       ///< directory with the plan's files; empty: they are fetched
  std::string linker_driver; ///< of the stdenv that is here
  SetupProgress& progress;
};

/// What was made.
struct Made {
  std::string toolkit; ///< root; empty if it was not made
  std::string driver;  ///< of the compiler; likewise
  std::string stdenv;  ///< driver of the stdenv; likewise
  std::vector<LicenseText> texts;
};

/// Fetches and makes the pieces of a plan, each under `.work` and renamed once it is proven. Pieces that are
/// complete, of the same files, are left as they are.
Result<Made> make_pieces(const Plan& plan, const Workshop& workshop);

/// The lock of those packages of a manifest, made by the `redist` program; `work` is a directory.
Result<std::string> make_lock(const Context& context, const std::string& redist, const RedistChoice& choice,
                              const std::string& platform, const std::string& work);

/// Whether a piece of the same files is there already.
bool is_complete(const Piece& piece, const std::string& directory, const Files& files);

/// Of the plan's files, what no earlier call has fetched: their piece is not there, and of their archive
/// nothing or a part.
std::uint64_t missing_bytes(const Plan& plan, const std::string& directory, const Files& files);

/// Compares the files of a piece in a directory with their hashes. The error names the damaged file, or all
/// that are missing.
Result<void> verify_files(const Piece& piece, const std::string& directory);

} // namespace hostpin::setup
