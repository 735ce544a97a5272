// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "wrapper/setup/license.hpp"
#include "wrapper/setup/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::setup {

/// The text of a license, as it came with what was fetched.
struct LicenseText {
  std::string file; ///< below the directory
  std::string sha256;
};

/// What is written last, into `setup.toml`: what was asked for, and everything that was done.
struct Record {
  std::string directory;            ///< where it is; it works nowhere else
  std::string hostpin;              ///< the release that wrote it
  std::vector<std::string> request; ///< the options, see asked_words
  Plan plan;
  std::string toolkit, compiler; ///< the toolkit's root, and the driver that hostpin bind was given; the
                                 ///< driver is empty if it chose by itself
  std::vector<Consent> consents;
  std::vector<LicenseText> texts;
  std::string stdenv_driver; ///< of a stdenv that was fetched, or empty
};

/// The file's text: TOML without credentials.
std::string record_text(const Record& record);

/// What later runs need of it. Pieces have no packages.
struct KnownSetup {
  std::string directory, toolkit, compiler, stdenv;
  std::vector<std::string> request;
  std::vector<std::string> titles; ///< of the pieces
  std::vector<std::string> places; ///< of the same
  std::string stdenv_driver = {};  ///< of a stdenv that was fetched, or empty
};

/// Reads `directory`/setup.toml; nothing if there is none. An error if it is not one of hostpin's.
Result<std::optional<KnownSetup>> read_record(const Files& files, const std::string& directory);

/// The file in each piece that has its digest_of: a piece with the digest of the plan is complete.
inline constexpr const char* piece_mark = ".hostpin-setup";

} // namespace hostpin::setup
