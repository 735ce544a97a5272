// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/judge/rooted.hpp"
#include "hooks/leak-check/judge/world.hpp"

#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace hostpin {

/// Every rule of the table, over what a scan tells.
class Judge {
public:
  /// Whether a finding is known and accepted, so that it is none.
  using Accepted = std::function<bool(const Finding&)>;

  /// Keeps what `world` refers to.
  explicit Judge(World world, Accepted accepted = {})
      : laid_out_(world.files), world_{world.policy,        world.unwanted,
                                       laid_out_,           std::move(world.loader),
                                       world.several_trees, world.root},
        accepted_(std::move(accepted)) {}

  /// One file after the other, each of the tree once. Whether anything was found in it, by itself.
  bool see(ScannedFile&& file);

  /// All findings, sorted; to be called once, when every file was seen.
  Findings finish();

private:
  void see_elf(TreeElf elf, const Tell& tell);
  void keep(TreeElf elf);
  void add(Finding&& finding);

  LaidOutFiles laid_out_;
  World world_;              ///< over those files
  std::deque<TreeElf> elfs_; ///< grows without a copy
  Findings findings_;
  Accepted accepted_;
};

} // namespace hostpin
