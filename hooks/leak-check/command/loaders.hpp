// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/rooted.hpp"
#include "hooks/leak-check/judge/world.hpp"
#include "toolchains/base/process.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Asks each loader of this machine once where it looks. A loader is run for that, so only those in the
/// system's own places, in package stores and in trusted directories are asked: what a file names may be
/// anything.
class Loaders {
public:
  /// Keeps references. `trusted`: directories. `root`: `files` where a staged tree is judged, else nullptr;
  /// the loader of one that is a whole system is taken to look where the distributions' do, and not run.
  Loaders(const Files& files, const Processes& processes, const std::vector<std::string>& trusted,
          const RootedFiles* root = nullptr);

  const LoaderPlaces* named(const std::string& loader, const ElfKind& kind);

  /// Whether a tree holds a loader in the place that the ABI of some machine gives it.
  static bool are_in(const std::string& root);

private:
  const Files& files_;
  const Processes& processes_;
  std::vector<std::string> trusted_;
  const RootedFiles* root_;
  std::map<std::string, std::optional<LoaderPlaces>> known_;
};

} // namespace hostpin
