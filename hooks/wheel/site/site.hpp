// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/archive/wheel_file.hpp"
#include "toolchains/loader/loader.hpp"
#include "toolchains/table/cuda_packages.hpp"
#include "toolchains/table/cuda_wheels.hpp"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// A program or library that is installed.
struct SiteFile {
  std::string path;         ///< absolute
  std::string distribution; ///< normalised; empty for a file that no distribution lists
  std::string member;       ///< in the wheel that is checked; empty for files of others
  /// Null for a file that is only assumed: of a required distribution that was not given, by the table.
  const ElfFacts* facts = nullptr;
  binary::Image image;
  std::vector<std::string> opened = {}; ///< as in its facts; of one that is assumed by the table
};

/// A distribution that is installed, or assumed.
struct Distribution {
  std::string name; ///< normalised
  std::string version;
  std::vector<Requirement> requirements;
  bool is_assumed = false; ///< by the tables of CUDA's wheels and packages
};

/// The distributions that are installed with one, as far as they are known.
struct Required {
  std::set<std::string> names;    ///< with what they require in turn
  std::set<std::string> optional; ///< required under an extra of the wheel only
  std::set<std::string> unknown;  ///< the part of `names` whose requirements are not known
  std::set<std::string> pinned;   ///< the part of `names` whose release is the same in each installation
  /// The part of `names` that is installed with one release of a package, and perhaps not with another
  /// release that fits.
  std::set<std::string> uncertain;
  /// The part of `names` that was not given and is known by the table, with the newest release that fits.
  std::map<std::string, const CudaPackage*> packages;
};

/// What the sources of each distribution in one directory have about libraries, those in directories below it
/// left out: imports of its __init__.py and of sources that open libraries. By normalised distribution, which
/// is empty for files that no distribution lists.
using SourceDirectory = std::map<std::string, PythonSource>;

/// What an installer makes of wheels, in memory: the wheel that is checked, over the wheels and the directory
/// of installed ones that were named with it.
class Site {
public:
  /// `directory`: of installed wheels, absolute; empty: one that does not exist. Its files are read when the
  /// site is made; those of the checked wheel's own distribution are left out. Stores a reference to the
  /// wheel.
  static Result<Site> make(const WheelFile& wheel, std::deque<WheelFile> others,
                           const std::string& directory);

  /// Adds the files of required distributions that are not there: CUDA's by the table, and the packages'
  /// that require them.
  void assume(const std::vector<CudaWheel>& table, const Required& required);

  const std::map<std::string, SiteFile>& files() const { return files_; }
  const std::map<std::string, Distribution>& distributions() const { return distributions_; }
  const std::string& root() const { return root_; }
  const std::string& prefix() const { return prefix_; } ///< of the environment, which has bin/ and the like
  /// Where a member of a wheel is installed to.
  std::string path_of(const WheelFile& wheel, std::string_view member) const;
  /// The file of an absolute path, symlinks followed; null if there is none.
  const SiteFile* file(const std::string& path) const;
  /// Files of that soname or file name, in the order of paths.
  std::vector<const SiteFile*> named(std::string_view name) const;
  /// Sources by absolute directory. Of `--site` those directly in packages are read.
  const std::map<std::string, SourceDirectory>& sources() const { return sources_; }
  /// Whether a distribution has code that can load a library when it is imported: an extension module, or a
  /// source that opens libraries.
  bool has_loading_code(const std::string& distribution) const;
  /// With every symlink of the directory resolved.
  std::string real_path(const std::string& path) const;

private:
  Result<void> add_directory(const std::string& directory, const std::string& left_out);
  void add_wheel(const WheelFile& wheel, bool is_checked);
  void add(SiteFile file);
  void add_source(const std::string& path, const std::string& distribution, const PythonSource& source);
  void assume_library(const std::string& distribution, const std::string& directory, binary::Image image,
                      const std::vector<std::string>& opened);
  void assume_package(const CudaPackage& package, const std::vector<CudaWheel>& table,
                      const binary::ElfKind& kind);

  std::string root_, prefix_;
  std::map<std::string, SiteFile> files_;
  std::multimap<std::string, std::string, std::less<>> by_name_;
  std::map<std::string, Distribution> distributions_;
  std::map<std::string, SourceDirectory> sources_;
  std::map<std::string, std::string> real_; ///< symlinks of the directory
  std::shared_ptr<std::deque<WheelFile>> others_ = std::make_shared<std::deque<WheelFile>>();
  std::shared_ptr<std::deque<ElfFacts>> read_ = std::make_shared<std::deque<ElfFacts>>();
};

/// The row of the release that an installer takes for a requirement: the newest that fits, with
/// CUDA's major `cuda` if there is one (0: any). Null if no row fits, or a build of another index is named
/// (`+cu126`).
const CudaPackage* package_for(const std::vector<CudaPackage>& packages, const Requirement& requirement,
                               int cuda);

/// The normalised names of what a requirement installs by itself: its distribution, and for the metapackage
/// cuda-toolkit those of its extras.
std::vector<std::string> named_by(const Requirement& requirement, const std::vector<CudaWheel>& table);

/// Follows the requirements of the checked wheel through the site, through cuda-toolkit's extras, and through
/// packages of the table. `packages` has to outlive the result.
Required required_by(const WheelFile& wheel, const Site& site, const std::vector<CudaWheel>& table,
                     const std::vector<CudaPackage>& packages);

} // namespace hostpin::wheel
