// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/needs/needs.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A row of `data/redist-names.toml`: what a package of NVIDIA's is called elsewhere.
struct PackageNames {
  std::vector<std::string> packages; ///< NVIDIA's names of it
  std::string conda;                 ///< on conda-forge
  bool split = false;                ///< conda-forge has `-dev` and `-static` of it
  std::string pip;                   ///< extra of the metapackage cuda-toolkit
};

/// Reads the rows from the directory of the data files.
Result<std::vector<PackageNames>> load_package_names(const Files& files, const std::string& directory);

/// What a list of needs is written from. The same input gives the same bytes.
struct Recipe {
  const Needs& needs;
  const Origin& origin;
  const std::vector<PackageNames>& names;
};

/// A spelling of the list.
struct RecipeForm {
  std::string_view name; ///< as after --for
  const char* description;
  Result<std::string> (*text)(const Recipe&); ///< an error names a package that no row has
};

/// Sorted by name.
std::span<const RecipeForm> recipe_forms();

} // namespace hostpin::redist
