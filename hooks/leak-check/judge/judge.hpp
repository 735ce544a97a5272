// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/list.hpp"
#include "hooks/leak-check/judge/world.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace hostpin {

/// Every rule of the table, over what a scan tells.
class Judge {
public:
  /// Whether a finding is known and accepted, so that it is none.
  using Accepted = std::function<bool(const Finding&)>;

  /// Keeps what `world` refers to. `findings`: an empty list, which says how much it may hold.
  explicit Judge(World world, Findings findings = {}, Accepted accepted = {})
      : world_(std::move(world)), findings_(std::move(findings)), accepted_(std::move(accepted)) {}

  /// One file after the other, each of the tree once. Whether anything was found in it, by itself. Nothing is
  /// told of one that is `elsewhere`, but others are judged by what they would load of it.
  bool see(ScannedFile&& file);

  /// All findings, sorted; to be called once, when every file was seen. `surroundings`: for a digest of what
  /// loaders would read, in the tree and around it, the same wherever that is the same; nullptr: not wanted.
  Findings finish(std::uint64_t* surroundings = nullptr);

private:
  void see_elf(TreeElf elf, const Tell& tell);
  void keep(TreeElf elf);
  void add(Finding&& finding);

  World world_;
  std::deque<TreeElf> elfs_; ///< grows without a copy
  Findings findings_;
  Accepted accepted_;
  std::unordered_set<std::uint64_t> told_; ///< hashes of what was found lately
};

} // namespace hostpin
