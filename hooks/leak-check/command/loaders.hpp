// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/files.hpp"
#include "hooks/leak-check/judge/world.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/loader/loader.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// Where glibc's loader searches by default, as its own file defines it.
struct LoaderFile {
  std::vector<std::string> directories; ///< at most 64; empty if it is not a loader of glibc's
  std::string cache;                    ///< path of its ld.so.cache; the file need not exist
  std::string library_name;             ///< value of $LIB
};

/// Reads the strings that were compiled into it: directories with a slash at both ends, in their order, and
/// the one that ends with /ld.so.cache (elf/dl-load.c and elf/dl-cache.c of glibc 2.26 to 2.42).
LoaderFile loader_file(std::string_view bytes);

/// Which loaders may be run, and which are only read.
struct LoaderTrust {
  std::vector<std::string> prefixes;    ///< of the binding's compilers
  std::span<const std::string> scanned; ///< scanned paths as they were named: nothing below them is run
  std::vector<std::string> stores;      ///< stores that were named: a loader there is read, and not run
};

/// Queries each loader of this machine once for its search path. That runs the loader, so only those in the
/// system's library directories are queried and, unless they are scanned, those in package stores and trusted
/// prefixes: a file may name any program as its loader.
class Loaders {
public:
  /// Stores references. `root`: `files` if a staged tree is judged, else nullptr; the loader of a staged tree
  /// that is a whole system is assumed to search where the distributions' do, and is not run.
  Loaders(const Files& files, const Processes& processes, const LoaderTrust& trust,
          const RootedFiles* root = nullptr);

  const loader::LoaderPlaces* named(const std::string& loader, const binary::ElfKind& kind);

  /// Whether a tree has a loader at the path that the ABI of some machine defines.
  static bool are_in(const std::string& root);

private:
  enum class Way { none, read, run };
  Way way_to(const std::string& real) const;
  bool is_scanned(const std::string& real) const;
  std::optional<loader::LoaderPlaces> places_by(Way way, const std::string& loader,
                                                const std::string& target) const;

  const Files& files_;
  const Processes& processes_;
  LoaderTrust trust_; ///< symlinks resolved
  const RootedFiles* root_;
  std::map<std::string, std::optional<loader::LoaderPlaces>> known_;
};

} // namespace hostpin::leak
