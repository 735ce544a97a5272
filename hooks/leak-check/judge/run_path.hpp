// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/world.hpp"

#include <cstdint>
#include <string>
#include <unordered_set>

namespace hostpin {

/// Entry by entry: forbidden-runpath, build-directory, host-path-from-store, cuda-stub-runpath,
/// runpath-not-a-directory, dangling-runpath; and of all of them together cuda-compat-order and
/// driver-runpath. Only of files with something for the loader.
void judge_run_path(const TreeElf& elf, const World& world, const Tell& tell);

/// What of this machine `judge_run_path` goes by: what stands at each entry, and where that really is.
class RunPathPlaces {
public:
  /// Keeps a reference.
  explicit RunPathPlaces(const World& world) : world_(world) {}

  void add(const TreeElf& elf);
  /// Of the entries of all files that were added.
  std::uint64_t digest() const { return sum_; }

private:
  const World& world_;
  std::unordered_set<std::string> seen_;
  std::uint64_t sum_ = 0;
};

} // namespace hostpin
