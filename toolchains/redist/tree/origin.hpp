// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/toolkit/composed.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// One file or symbolic link of a composed root.
struct OriginEntry {
  std::string path;                   ///< below the root
  std::optional<std::size_t> archive; ///< index in `Origin::archives`; nothing: made by hostpin
  std::string member;                 ///< path in the archive, below its top directory; empty without archive
  std::string sha256;                 ///< of the member, 64 digits; empty for links and files without archive
  std::string link;                   ///< what a symbolic link contains; empty: it is a file
  std::string output;                 ///< `lib`, `dev`, ...
  std::string changed;                ///< what was changed, as text; empty: the file is the member
  std::string now; ///< SHA-256 of a file that was changed or made; empty if `sha256` is that of the file
  bool executable = false;

  /// The digest that the file has in the root; empty for links.
  const std::string& digest() const { return now.empty() ? sha256 : now; }
  bool operator==(const OriginEntry&) const = default;
};

/// What a composed root was made from: `origin.json` in it.
struct Origin {
  std::string lock;                 ///< name of the lock
  std::string lock_sha256;          ///< of its text
  std::string host;                 ///< NVIDIA's platform of the programs
  std::vector<std::string> targets; ///< platforms of headers and libraries, the default one first
  std::vector<std::string> outputs; ///< that were selected, sorted; empty: all
  bool one_target = false;          ///< without `targets/`
  bool patched = false;             ///< run paths were changed
  bool compat = false;              ///< with the compatibility libraries
  std::string driver;               ///< directory of the NVIDIA driver's libraries; empty if not given
  std::vector<std::string> expected_at_run; ///< sonames that are in no archive, allowed to be missing, sorted
  std::vector<LockedArchive> archives;
  std::vector<OriginEntry> entries; ///< by path

  bool operator==(const Origin&) const = default;
};

/// Its name below the root.
inline constexpr std::string_view origin_name = origin_file;

/// Bytes of an `origin.json` that are read at most; that of all of CUDA 12.4 has 2 MB.
inline constexpr std::size_t largest_origin = std::size_t{256} << 20U;

/// The text of `origin.json`: JSON without the time; the same inputs give the same bytes.
std::string origin_text(const Origin& origin);

/// Reads that text; the error is `file:line:column: what`. Paths are well-formed then: none leaves the root.
Result<Origin> read_origin(std::string_view content, const std::string& file);

/// The directories in which the loader has to search for the NVIDIA driver, in order: the compatibility
/// libraries of the root, if it has them, and the driver's. Never stubs.
std::vector<std::string> driver_path(const Origin& origin, const std::string& root);

/// One line: `composed from cuda 12.4.1 (linux-x86_64) of redist.lock`.
std::string describe(const Origin& origin);

} // namespace hostpin::redist
