// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "wrapper/matrix/plan.hpp"
#include "wrapper/matrix/result.hpp"

#include <string>

namespace hostpin::matrix {

/// What the job that builds a cell leaves for the job that tests it, maybe on another machine: a record,
/// `ID.built` next to the result, and an archive of the work directory, `built/SHA256.tar.zst`.
struct Built {
  std::string terms;   ///< `terms_of` the cell
  std::string work;    ///< the work directory; what was built may contain its path
  std::string archive; ///< SHA-256 of the archive's bytes: 64 hexadecimal digits
  std::string source;  ///< list of inputs with all files of the source, for a test that cannot be traced
  CellResult result;   ///< until now; its inputs are those of the build
};

/// What build and test have to agree on: cell, commands and decision. 64 hexadecimal digits.
std::string terms_of(const PlannedCell& cell, const Project& project);

/// The record for a result's file: `x.built` for `x.json`.
std::string built_path(const std::string& output);

std::string built_json(const Built& built);
/// An error if it is no record of this release. `of`: for messages, the file.
Result<Built> read_built(std::string_view json, const std::string& of);

/// Removes the record for a result's file and the archive that it names. No other record names that: an
/// archive has the paths of the work directory.
void remove_built(const Files& files, const std::string& output);

/// Where the archives of a result's file are: `built` next to it.
std::string archives_of(const std::string& output);

/// Writes an archive of a work directory without its temporary files into `directory`, and returns its
/// SHA-256, by which it is named. Equal trees make equal bytes: there are no times and no owners in it.
Result<std::string> pack_built(const std::string& work, const std::string& directory);

/// Replaces `work` by what is in the archive. An error if its bytes have not that name's SHA-256, are no such
/// archive, or cannot be written.
Result<void> unpack_built(const std::string& directory, const Built& built, const std::string& work);

} // namespace hostpin::matrix
