// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace hostpin {

/// How far a scan is, for whoever watches it from another thread.
class ScanProgress {
public:
  struct State {
    std::uint64_t files = 0; ///< done
    std::uint64_t bytes = 0; ///< read of files, as stored
    std::string path;        ///< of the file that was begun last
  };

  void begin(const std::string& path) {
    const std::lock_guard lock(mutex_);
    state_.path = path;
  }
  void read(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    state_.bytes += bytes;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ++state_.files;
  }
  State state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

private:
  mutable std::mutex mutex_;
  State state_;
};

/// What may be spent on files that hold others. Whatever is beyond is told as unseen.
struct ScanLimits {
  unsigned depth = 8;                                ///< of archives and compressed files within each other
  std::uint64_t members = 1'000'000;                 ///< of one file, all depths together
  std::uint64_t unpacked = std::uint64_t{64} << 30U; ///< bytes of one file, all depths together
  std::uint64_t ratio = 200; ///< unpacked to packed; deflate can reach 1032, real files a tenth
  std::uint64_t ratio_from = std::uint64_t{256} << 20U; ///< bytes that may be unpacked whatever the ratio
  /// Bytes of dictionaries that xz and lzma files declare, those of one file that are nested together.
  std::uint64_t windows = std::uint64_t{1} << 30U;
  std::uint64_t small_windows = std::uint64_t{16} << 20U; ///< files with more are decompressed one at a time
  std::size_t kinds = 50'000;                             ///< of hits in one stream or part of a file
  std::size_t entries = 100'000; ///< hits, facts and unseen things that are reported of one file
};

struct ScanOptions {
  unsigned threads = 2;         ///< at least 1
  bool content = true;          ///< look for needles; else only for facts
  bool unpack = true;           ///< open compressed files and sections
  std::string scratch = "/tmp"; ///< for members that have to be read in any order, as files without a name
  std::string below = {};       ///< roots in that directory are told as what was found in it; empty: none
  ScanLimits limits;
  ScanProgress* progress = nullptr; ///< told how far it is; may be nullptr
};

/// Called for each file, one at a time, in the order of names within each directory, whatever the number of
/// threads; not always on the same thread.
using ScanVisitor = std::function<void(ScannedFile&&)>;

/// Scans files and trees. Symlinks within them are told and not followed; those that are named are followed.
/// What cannot be read, or is neither a file, a directory nor a symlink, comes as a file of kind `other` with
/// an `unseen`. Nothing is written, run, or loaded.
void scan_tree(const std::vector<std::string>& roots, const NeedleSet& needles, const ScanOptions& options,
               const ScanVisitor& visit);

} // namespace hostpin
