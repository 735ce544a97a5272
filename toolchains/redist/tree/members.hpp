// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A file or symbolic link of an unpacked archive.
struct Member {
  std::string path;       ///< below the archive's top directory
  std::string link;       ///< what a symbolic link contains; empty: it is a regular file
  std::string sha256;     ///< of a file, 64 digits
  std::uint64_t size = 0; ///< of a file, bytes
  bool executable = false;
  std::int64_t modified = 0; ///< time of a file, nanoseconds since the epoch

  bool operator==(const Member&) const = default;
};

/// What is wrong with a file's mode, as stat(2) has it; empty: nothing. A program may be executed, and no
/// archive has files that are setuid, setgid or sticky.
std::string wrong_mode(unsigned mode, bool executable);

/// The SHA-256 of a file, 64 lower-case hexadecimal digits.
using FileDigest = std::function<Result<std::string>(const std::string& path)>;

/// Every file and symbolic link below a directory, by path, with digests; other kinds of files are errors.
Result<std::vector<Member>> members_of(const std::string& directory, const FileDigest& digest);

/// Members as text, one a line, and back; the error names `file` and the line.
std::string members_text(const std::vector<Member>& members);
Result<std::vector<Member>> read_members(std::string_view text, const std::string& file);

/// Compares a whole tree with what it is to be. The error is about the tree.
using TreeProof = std::function<Result<void>()>;

/// The same as `members_of`, stored in a file next to the tree, so that its files are read only once. They
/// are read again, and `proof` is called first, if a member's kind, size, time, mode or link is not the
/// stored one, or if that is wanted (`again`).
Result<std::vector<Member>> stored_members(const std::string& directory, const std::string& file,
                                           const FileDigest& digest, const TreeProof& proof, bool again);

} // namespace hostpin::redist
