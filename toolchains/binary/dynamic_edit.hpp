// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::binary {

/// Changes to what the loader reads of a program or shared library, as patchelf makes them.
struct DynamicEdit {
  struct RunPath {
    std::string directories; ///< with colons between them; empty: no run path
    /// DT_RPATH, which comes before LD_LIBRARY_PATH and counts for what the found libraries load, too; else
    /// DT_RUNPATH.
    bool is_rpath = false;

    bool operator==(const RunPath&) const = default;
  };
  std::optional<RunPath> run_path;            ///< the only one; nothing: as it is
  std::map<std::string, std::string> renamed; ///< libraries by the old name, in NEEDED and in version needs
  std::vector<std::string> needed_first;      ///< libraries that are added before all that it needs
  std::optional<std::string> soname;          ///< of a file that has one
  std::optional<std::string> interpreter;     ///< of a program

  bool empty() const {
    return !run_path && renamed.empty() && needed_first.empty() && !soname && !interpreter;
  }
};

/// Writes a changed copy of a program or shared library (64-bit, little-endian) to an open file that is empty
/// and can be read, too. The strings are in a segment that is added at the end, so that nothing else gets
/// another address: patchelf 0.18, which Debian 13 has, makes cc1plus a program with overlapping segments,
/// which crashes. The error is a reason.
Result<void> write_edited(const Blob& source, const DynamicEdit& edit, int descriptor);

} // namespace hostpin::binary
