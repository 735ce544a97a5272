// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/judge/files.hpp"
#include "hooks/leak-check/judge/policy.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/loader/driver.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// Where the loader of that path looks for the libraries of an ELF file of that kind; nullptr if that is not
/// known: the loader is not on this machine, or not glibc's. An empty path: the loader of this machine's own
/// programs of that kind. The pointer remains valid.
using LoaderNamed =
    std::function<const loader::LoaderPlaces*(const std::string& loader, const binary::ElfKind& kind)>;

/// What a file is judged against. All are references.
struct World {
  const Policy& policy;
  const Unwanted& unwanted;
  const Files& files;
  LoaderNamed loader;
  bool several_trees = false;        ///< are scanned, so each location names its tree
  const RootedFiles* root = nullptr; ///< `files`, if a staged tree is judged as installed at the root
};

/// Where to open a path that was looked up in `world.files`.
std::string on_disk(const std::string& path, const World& world);

/// The tree that a file is to be reported with; see Location.
std::string tree_of(const ScannedFile& file, const World& world);

/// An ELF file of the tree, or within an archive of it.
struct TreeElf {
  Location where;   ///< path and members
  std::string file; ///< as the loader will find it; empty within an archive of which that is not known
  bool vendor = false;
  bool in_store = false;
  ElfFacts facts;

  /// A section of this file.
  Location at(std::string section) const {
    return {where.path, where.member, std::move(section), std::nullopt, where.tree};
  }
};

/// Receives the findings of a rule.
using Report = std::function<void(Finding&&)>;

/// Caps the severity of findings in vendor files.
inline Severity capped_for_vendor(Severity severity, bool vendor, Severity most) {
  return vendor && severity > most ? most : severity;
}

/// The fix, for a file on disk or in an archive: --fix does not change archives.
inline std::string fix_where(bool packed, std::string_view fix) {
  return std::string(
      packed && fix.find("--fix") != std::string_view::npos
          ? "Fix the file before it is packed: hostpin leak-check --fix does not change archives."
          : fix);
}

/// Whether a normalised path is in a directory of the system that hosts a package store.
bool is_host_place(std::string_view path);

/// The last component.
inline std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

} // namespace hostpin::leak
