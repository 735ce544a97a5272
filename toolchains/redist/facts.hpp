// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/table/platforms.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A product of NVIDIA's, as the directory on its server is called.
struct Product {
  std::string name;  ///< `cuda`
  std::string base;  ///< URL that paths of archives are below, ending with a slash
  std::string spack; ///< Spack's package for it; empty if there is none
  /// What Spack's versions of it are made of: `label` or `version`, and with `-cuda` the variant's CUDA
  /// release.
  std::string spack_version;
  /// What names of archives begin with, if they do not begin with the package's; `TensorRT-`, whose manifests
  /// are made by hand.
  std::string archive_prefix;
};

/// A package of CUDA that is listed under other names since a release.
struct Rename {
  std::string from;            ///< `cuda_nvcc`
  std::vector<std::string> to; ///< what replaces it, `from` itself too if it is still there; empty: nothing
  std::string since;           ///< the CUDA release, `13.0`
};

/// A library that programs link, as an addition to a toolkit.
struct Library {
  std::string name;               ///< `cusolver`
  std::string package;            ///< `libcusolver`
  std::vector<std::string> needs; ///< names of other rows
  std::string since;              ///< the first CUDA release that has it; empty: all
};

/// The newest manifest of a CUDA release.
struct Newest {
  std::string release; ///< `12.4`
  std::string label;   ///< `12.4.1`
};

/// A hash in a manifest that never was that of the archive.
struct WrongHash {
  std::string path;   ///< of the archive
  std::string sha256; ///< that is listed, or its first digits
  std::string right;  ///< likewise, of the archive
};

/// `data/redist.toml` and `data/platforms.toml`.
struct Facts {
  std::vector<Product> products;
  std::vector<Platform> platforms;
  std::vector<Rename> renames;
  std::vector<std::string> toolkit; ///< packages to build programs with, under their names before renames
  std::vector<Library> libraries;
  std::vector<Newest> newest;        ///< oldest release first
  std::vector<std::string> licenses; ///< in the spelling of manifests
  std::vector<WrongHash> wrong_hashes;

  /// Null if there is no row of this name.
  const Platform* platform(std::string_view name) const;
  const Product* product(std::string_view name) const;
  const Rename* rename_of(std::string_view package) const;
};

/// Reads them from the directory of the data files.
Result<Facts> load_facts(const Files& files, const std::string& directory);

} // namespace hostpin::redist
