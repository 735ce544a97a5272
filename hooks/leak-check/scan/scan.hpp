// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace hostpin::leak {

/// Progress of a scan, to be read by another thread.
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

/// Limits for files that contain others. Whatever exceeds them is reported as unseen.
struct ScanLimits {
  unsigned depth = 8;                ///< of archives and compressed files within each other
  std::uint64_t members = 1'000'000; ///< of one file, all depths together
  std::uint64_t decompressed = std::uint64_t{64} << 30U; ///< bytes of one file, all depths together
  std::uint64_t ratio = 200; ///< decompressed to compressed; deflate can reach 1032, real files a tenth
  std::uint64_t ratio_from = std::uint64_t{256} << 20U; ///< bytes that may be decompressed whatever the ratio
  /// Bytes of dictionaries that xz and lzma files declare, nested ones added up.
  std::uint64_t windows = std::uint64_t{1} << 30U;
  std::uint64_t small_windows = std::uint64_t{16} << 20U; ///< files with more are decompressed one at a time
  std::size_t kinds = 50'000;                             ///< of hits in one stream or part of a file
  std::size_t entries = 100'000; ///< hits, facts and unseen items that are reported for one file
};

struct ScanOptions {
  unsigned threads = 2;         ///< at least 1
  bool content = true;          ///< search for needles; else only facts
  bool open_packed = true;      ///< open compressed files and sections
  std::string scratch = "/tmp"; ///< directory of unnamed files, for members that are read in any order
  std::uint64_t piece = std::uint64_t{16} << 20U; ///< bytes that a thread scans before it takes other work
  std::string below = {}; ///< roots in that directory are reported as if found in it; empty: none
  ScanLimits limits;
  ScanProgress* progress = nullptr; ///< updated during the scan; may be nullptr
};

/// Called for each file, one at a time, in the order of names within each directory, whatever the number of
/// threads; not always on the same thread.
using ScanVisitor = std::function<void(ScannedFile&&)>;

/// Scans files and trees. Symlinks in them are reported and not followed; those that are named are followed.
/// What cannot be read, or is not a file, directory or symlink, is visited as a file of kind `other` with an
/// `unseen`. Nothing is written, run, or loaded.
void scan_tree(const std::vector<std::string>& roots, const NeedleSet& needles, const ScanOptions& options,
               const ScanVisitor& visit);

} // namespace hostpin::leak
