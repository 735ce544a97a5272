// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/judge/rooted.hpp"
#include "hooks/leak-check/policy/policy.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/loader/loader.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Where the loader of that path looks, asked on behalf of an ELF file of that kind; nullptr when that cannot
/// be known: it is not on this machine, or not glibc's. An empty path: the one that this machine's own
/// programs of that kind have. Remains valid.
using LoaderNamed = std::function<const LoaderPlaces*(const std::string& loader, const ElfKind& kind)>;

/// What a file is judged against. Refers to everything.
struct World {
  const Policy& policy;
  const Unwanted& unwanted;
  const Files& files;
  LoaderNamed loader;
  bool several_trees = false;        ///< are scanned, so that each location is to name its own
  const RootedFiles* root = nullptr; ///< `files`, where a staged tree is judged as if it lay at the root
};

/// Where a path that something was judged by is to be opened.
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

  /// The part of an ELF file that something stands in.
  Location at(std::string section) const {
    return {where.path, where.member, std::move(section), std::nullopt, where.tree};
  }
};

/// Takes what a rule objects to.
using Tell = std::function<void(Finding&&)>;

/// Gravity in a file that was taken over as it came: no more than `most`.
inline Severity limited(Severity severity, bool vendor, Severity most) {
  return vendor && severity > most ? most : severity;
}

/// A cure that names --fix does not help within an archive, which that one leaves as it is.
inline std::string cure_where(bool packed, std::string_view cure) {
  return std::string(packed && cure.find("--fix") != std::string_view::npos
                         ? "Mend the file before it is packed: hostpin leak-check --fix opens no archive."
                         : cure);
}

/// Libraries that come with the kernel's driver, on the machine that runs a program and no other.
bool is_of_driver(std::string_view name);

/// The run path by which a file finds a library, both by their whole paths: `$ORIGIN/../lib`.
std::string run_path_to(const std::string& library, const std::string& file);

/// Whether a normalised path leads to what a system without a package store keeps there.
bool is_host_place(std::string_view path);

/// The last component.
inline std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

} // namespace hostpin
