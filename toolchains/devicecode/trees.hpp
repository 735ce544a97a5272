// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <functional>
#include <string>

namespace hostpin::devicecode {

/// Writes a changed copy of the file `from` to `to`, which may be the same path; false if there is nothing to
/// change, and `to` was not written.
using FileChange = std::function<Result<bool>(const std::string& from, const std::string& to)>;

/// Copies a directory with changed files. The copy appears at once and complete; there is none after an
/// error, or if `accepted`, which is called once everything is copied, returns false. Files that `change` did
/// not write, directories and links to files get the properties of the originals: permissions, owner as far
/// as the user may set it, times. Names of one file (hard links) are names of one file again. An error if
/// `to` exists or is inside `from`, if there is something else than files, directories and links, or if the
/// process is being terminated.
Result<void> copy_tree(const std::string& from, const std::string& to, const FileChange& change,
                       const std::function<bool()>& accepted);

/// Changes the files of a directory in place, each as `change` does; all names of a file in the directory
/// stay names of one file. An error in between leaves files that are changed and others that are not, each
/// complete.
Result<void> change_tree(const std::string& tree, const FileChange& change);

} // namespace hostpin::devicecode
