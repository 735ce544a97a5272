// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/shard_number.hpp"
#include "hooks/leak-check/walk/walk.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hostpin {

/// A digest of what a walk meets: names, kinds, sizes, seconds of change and where symlinks lead.
class TreePrint {
public:
  void add(const WalkEntry& entry);
  std::uint64_t value() const { return value_; }

  bool operator==(const TreePrint&) const = default;

private:
  std::uint64_t value_ = 0;
};

/// Which files of a scan one of its shards looks at. Every shard that sees the same trees comes to the same
/// division by itself: small files go by a hash of their path, and each large one, the largest first, to the
/// shard that has least to do so far.
class Share {
public:
  /// Goes through the trees once, and opens no file. `roots` and `below` as a scan takes them.
  Share(const std::vector<std::string>& roots, const std::string& below, ShardNumber number);

  /// Whether this shard looks at it. To be asked of each entry of the scan's own walk, in its order.
  bool take(const WalkEntry& entry);

  /// Of the trees, as they were when they were divided.
  const TreePrint& planned() const { return planned_; }
  /// Of what `take` was asked; another one than `planned` where the trees have changed meanwhile.
  const TreePrint& met() const { return met_; }
  /// All entries of the trees, those of other shards too.
  std::uint64_t entries() const { return entries_; }

private:
  bool holds(const WalkEntry& entry) const;

  ShardNumber number_;
  std::vector<std::uint64_t> large_; ///< paths' hashes of the large files of this shard, sorted
  TreePrint planned_, met_;
  std::uint64_t entries_ = 0;
};

} // namespace hostpin
