// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/site/site.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace hostpin::wheel {

/// A library that Python code opens by its path.
struct Preload {
  const SiteFile* library = nullptr;
  std::string directory; ///< of the sources, absolute
};

/// Libraries that Python code opens by their paths before Python imports a module next to it, so that the
/// loader does not search for their names.
class Preloads {
public:
  /// `own`: the distribution of the checked wheel. Stores references.
  Preloads(const Site& site, const Required& required, std::string own)
      : site_(site), required_(required), own_(std::move(own)) {}

  /// Those that are opened before a file is: by the packages that it is in, and by packages of required
  /// distributions that these import, and so on. A name alone does not count: sources of the same directory
  /// have to open libraries. Whether that code runs is not known.
  const std::vector<Preload>& before(const SiteFile& file);

private:
  std::vector<Preload> found(const std::string& directory);
  /// The packages whose code runs before a module in a directory is imported, nearest first.
  std::vector<std::string> run_before(const std::string& directory) const;
  /// The files that sources in a directory name, by path; none if no source there opens libraries.
  const std::vector<const SiteFile*>& opened_in(const std::string& directory);
  std::vector<const SiteFile*> named_by(const std::vector<const PythonSource*>& sources);
  /// What distributions that are installed with the wheel have in a directory.
  std::vector<const PythonSource*> installed_in(const std::string& directory) const;
  bool is_installed_with(const std::string& distribution) const;

  const Site& site_;
  const Required& required_;
  std::string own_;
  std::map<std::string, std::vector<Preload>> by_directory_;   ///< of the file
  std::map<std::string, std::vector<const SiteFile*>> opened_; ///< by directory of the sources
  // A wheel may name as many as it likes. PyTorch has 16 patterns, and RAPIDS' packages import ten others.
  std::size_t patterns_left_ = 1024; ///< of all sources: each is compared with every file
};

} // namespace hostpin::wheel
