// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/judge/files.hpp"
#include "hooks/leak-check/judge/world.hpp"

#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace hostpin::leak {

/// Applies every rule of the table to the results of a scan.
class Judge {
public:
  /// Whether a finding is known and accepted, and so is not reported.
  using Accepted = std::function<bool(const Finding&)>;

  /// Keeps references to what `world` refers to.
  explicit Judge(World world, Accepted accepted = {})
      : laid_out_(world.files), world_{world.policy,        world.unwanted,
                                       laid_out_,           std::move(world.loader),
                                       world.several_trees, world.root},
        accepted_(std::move(accepted)) {}

  /// Judges one file; to be called once for each file of the tree. Whether anything was found in it alone.
  bool judge_file(ScannedFile&& file);

  /// All findings, sorted; to be called once, after the last file.
  Findings finish();

private:
  void judge_elf(TreeElf elf, const Report& report);
  void keep(TreeElf elf);
  void add(Finding&& finding);

  LaidOutFiles laid_out_;
  World world_;              ///< with `laid_out_` as its files
  std::deque<TreeElf> elfs_; ///< a deque: references stay valid
  Findings findings_;
  Accepted accepted_;
};

} // namespace hostpin::leak
