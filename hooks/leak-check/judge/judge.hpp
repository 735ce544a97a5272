// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/world.hpp"

#include <vector>

namespace hostpin {

/// Every rule of the table, over what a scan tells.
class Judge {
public:
  /// Keeps what `world` refers to.
  explicit Judge(World world) : world_(std::move(world)) {}

  /// One file after the other, each of the tree once.
  void see(ScannedFile&& file);

  /// All findings, sorted; to be called once, when every file was seen.
  Findings finish();

private:
  void see_elf(TreeElf elf);

  World world_;
  std::vector<TreeElf> elfs_;
  Findings findings_;
};

} // namespace hostpin
