// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/progress.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"
#include "hooks/leak-check/scan/share.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hostpin {

/// What may be spent on files that hold others. Whatever is beyond is told as unseen.
struct ScanLimits {
  unsigned depth = 8;                                ///< of archives and compressed files within each other
  std::uint64_t members = 1'000'000;                 ///< of one file, all depths together
  std::uint64_t unpacked = std::uint64_t{64} << 30U; ///< bytes of one file, all depths together
  std::uint64_t ratio = 200; ///< unpacked to packed; deflate can reach 1032, real files a tenth
  /// Bytes that decoders may keep of what they have unpacked, as whoever packed it chose (`xz -9`: 64 MB):
  /// those of one file, and of all files that are unpacked at one time.
  std::uint64_t window = std::uint64_t{32} << 20U;
  std::uint64_t ratio_from = std::uint64_t{256} << 20U; ///< bytes that may be unpacked whatever the ratio
  // What is told of one file: bytes, and kinds of hits in one stream. As long as others are scanned beside it
  // it may have little; one that needs more is scanned again when its turn to be told has come.
  std::uint64_t told = std::uint64_t{24} << 20U;
  std::uint64_t told_at_once = std::uint64_t{1} << 20U;
  std::size_t kinds = 50'000;
  std::size_t kinds_at_once = 2'000;
};

struct ScanOptions {
  unsigned threads = 2;         ///< at least 1
  bool content = true;          ///< look for needles; else only for facts
  bool unpack = true;           ///< open compressed files and sections
  std::string scratch = "/tmp"; ///< for members that have to be read in any order, as files without a name
  std::string below = {};       ///< roots in that directory are told as what was found in it; empty: none
  ScanLimits limits;
  ScanProgress* progress = nullptr; ///< told how far it is; may be nullptr
  /// The shard that this scan is, made for the same roots; nullptr: all of it. Of files of other shards only
  /// ELF files are told, as `elsewhere`.
  Share* share = nullptr;
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
