// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/archive/packed.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hostpin::redist {

/// A file of a tree or wheel, before it is read.
struct SubjectFile {
  std::string path; ///< below the tree or wheel
  std::string disk; ///< where it is; empty in a wheel
  std::uint64_t size = 0;
  std::string trouble;                ///< why it is not read; empty: it is
  bool failed = false;                ///< because of an error
  std::optional<std::size_t> same_as; ///< index of an earlier file that it is a hard link of
  std::optional<PackedData> packed;   ///< in a wheel
};

/// What is audited.
struct Subject {
  std::vector<SubjectFile> files; ///< by path
  std::size_t links = 0;          ///< symbolic links to other files of the tree
  bool is_wheel = false;
  std::map<std::string, std::string> record; ///< of a wheel: digests as RECORD has them, by path
  std::string scratch;                       ///< directory for temporary files
  /// Of a wheel whose SHA-256 was given and is the one of the file: its name. It proves each file of it.
  std::string proven;

  std::set<std::uint64_t> sizes() const;
};

/// A file, a tree or a wheel. What cannot be read in a tree is a file with trouble; an error is about the
/// whole. `sha256`: of a wheel, as its index has it; the error says that the wheel is another one.
Result<Subject> subject_at(const std::string& path, const std::string& sha256, const std::string& scratch);

/// The content of a file; the error is a reason.
Result<binary::Blob> content_of(const Subject& subject, const SubjectFile& file);

} // namespace hostpin::redist
