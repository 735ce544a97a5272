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

/// Which files a program is made of once it runs. Remembers what it read, for many programs share libraries.
class LoadedFiles {
public:
  /// `processes`: to ask loaders where they look.
  LoadedFiles(const Environment& environment, const Files& files, const Processes& processes)
      : environment_(environment), files_(files), processes_(processes) {}

  /// The program, its loader, the libraries it loads, and the directories and the cache by which others could
  /// come before them. Nothing where that is not known: another loader than glibc's, a library that is not
  /// there, an environment that preloads or looks below the current directory.
  std::optional<std::vector<std::string>> of(const std::string& program) const;

private:
  LoaderPlaces presumed(const std::string& loader) const;
  const LoaderPlaces* places(const std::string& loader, bool asked) const;
  bool depends_on_processor(const Closure& closure) const;
  static std::vector<std::string> parts(const Closure& closure, const LoaderPlaces& where);

  const Environment& environment_;
  const Files& files_;
  const Processes& processes_;
  /// By loader, and whether it was asked.
  mutable std::map<std::pair<std::string, bool>, std::optional<LoaderPlaces>> places_;
  mutable std::map<std::string, std::optional<Image>> images_; ///< by path
};

} // namespace hostpin
