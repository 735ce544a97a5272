// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "toolchains/base/files.hpp"

#include <optional>
#include <span>
#include <string>

namespace hostpin {

/// A RUNPATH or RPATH without the entries that findings of one file object to, where it is certain what
/// belongs there: an unwanted directory, one of the build or of stubs, and one that means the current
/// directory are taken out; one that names a file becomes that file's directory if that is one; a directory
/// of cuda_compat goes first, and the driver's is added last, as is that of a library of the tree which the
/// loader does not find, from the directory of `file`. Other entries stay as they are spelt and in order,
/// those too that lead to nothing here. Nothing when there is nothing to mend, or a finding names an entry
/// that does not stand there. `list` is empty, too, for a file that has none.
///
/// In the place of the first unwanted directory comes `instead`, unless that is empty or among the entries.
///
/// Whether what is left still leads to every library is not known here.
std::optional<std::string> mended_run_path(const std::string& list, std::span<const Finding* const> findings,
                                           const Files& files, const std::string& file,
                                           const std::string& instead = {});

} // namespace hostpin
