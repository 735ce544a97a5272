// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/loader/loader.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// The files that a program loads. Caches what it read in memory, because many programs share libraries.
class LoadedFiles {
public:
  /// `processes`: runs loaders to query their search path.
  LoadedFiles(const Environment& environment, const Files& files, const Processes& processes)
      : environment_(environment), files_(files), processes_(processes) {}

  /// The program, its loader, the libraries it loads, and the directories and the loader cache that could
  /// make others come first. Nothing if that is not known: a loader other than glibc's, a missing library, an
  /// environment that preloads libraries or searches below the current directory.
  std::optional<std::vector<std::string>> of(const std::string& program) const;

private:
  LoaderPlaces presumed(const std::string& loader) const;
  const LoaderPlaces* places(const std::string& loader, bool asked) const;
  bool depends_on_processor(const Closure& closure) const;
  static std::vector<std::string> parts(const Closure& closure, const LoaderPlaces& where);

  const Environment& environment_;
  const Files& files_;
  const Processes& processes_;
  /// By loader, and whether it was run.
  mutable std::map<std::pair<std::string, bool>, std::optional<LoaderPlaces>> places_;
  mutable std::map<std::string, std::optional<Image>> images_; ///< by path
};

} // namespace hostpin
