// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <atomic>
#include <cstdint>
#include <string>

namespace hostpin::redist {

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

/// Unpacks a tar compressed by xz or gzip, or a zip, into an existing directory that nobody else writes to.
/// Files become read-only, 0555 if their owner may execute them and 0444 else, with the archive's times.
/// Directories, files, symbolic links that stay in the tree and hard links to earlier files are created;
/// anything else is an error, as are setuid, setgid and sticky files, two names that differ only in case, and
/// what exceeds a limit. After an error `into` contains a part of the archive. The error is about the
/// archive, without its name.
Result<UnpackedTree> unpack(int archive, const std::string& into, const UnpackLimits& limits,
                            const std::atomic<bool>& stop);

} // namespace hostpin::redist
