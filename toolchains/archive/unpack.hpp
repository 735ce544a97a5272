// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace hostpin {

/// What an archive may contain. NVIDIA's largest have some 20,000 members and 3 GB, and unpack to 12 times
/// their size.
struct UnpackLimits {
  std::uint64_t members = 100'000;
  std::uint64_t bytes = std::uint64_t{64} << 30U;       ///< of all files together
  std::uint64_t ratio = 200;                            ///< unpacked to packed
  std::uint64_t ratio_from = std::uint64_t{256} << 20U; ///< bytes that are allowed whatever the ratio
};

struct UnpackedTree {
  std::string path; ///< the archive's top directory, or `into` if it has not exactly one
  std::string top;  ///< the name of that directory
};

/// Unpacks a tar compressed by xz, gzip or zstd, or a zip, into an existing directory that nobody else writes
/// to. Files become read-only, 0555 if their owner may execute them and 0444 else, with the archive's times.
/// Directories, files, symbolic links that stay in the tree and hard links to earlier files are created;
/// anything else is an error, as are setuid, setgid and sticky files, two names that differ only in case, and
/// what exceeds a limit. After an error `into` contains a part of the archive. The error is about the
/// archive, without its name.
Result<UnpackedTree> unpack(int archive, const std::string& into, const UnpackLimits& limits,
                            const std::atomic<bool>& stop);

/// Where a member of a package is to be: its path below the tree, for its path in the package (relative, as
/// `member_path` returns it). Nothing: it is left out.
using Placement = std::function<std::optional<std::string>(const std::string& path)>;

/// What a symbolic link at `path` of a package has to lead to once both are in their places: a relative path.
/// Absolute targets count from the package's root. Nothing if the target is left out, or if link and target
/// have the same place, as names of the merged /usr have; an error if it leads above the root.
Result<std::optional<std::string>> placed_link(const std::string& path, const std::string& target,
                                               const Placement& placement);

/// Unpacks packages into one tree: .deb (an ar with a tar in it), .rpm (a cpio), .pkg.tar.* (a tar) and .whl
/// (a zip), compressed by xz, zstd, gzip or deflate. The limits, for each package, and the checks are those
/// of `unpack`, except that names may differ only in case, and that a file which is in two packages is taken
/// from the first. Files are writable by their owner, and directories are created for what is in them alone.
/// No script of a package is run.
class PackageUnpacker {
public:
  /// `into` is an existing directory that nobody else writes to.
  PackageUnpacker(std::string into, Placement placement, UnpackLimits limits = {});
  PackageUnpacker(const PackageUnpacker&) = delete;
  PackageUnpacker& operator=(const PackageUnpacker&) = delete;
  ~PackageUnpacker();

  /// One package; the error names the file.
  Result<void> add(const std::string& package, const std::atomic<bool>& stop);
  /// After the last one: whether all symbolic links stay in the tree.
  Result<void> finish() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace hostpin
