// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/files.hpp"
#include "hooks/leak-check/judge/world.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/config/bound.hpp"
#include "toolchains/loader/loader.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// Which loaders may be run, and which are only read.
struct LoaderTrust {
  std::vector<std::string> prefixes;    ///< of the binding's compilers
  std::span<const std::string> scanned; ///< scanned paths as they were named: nothing below them is run
  std::vector<std::string> stores;      ///< stores that were named: a loader there is read, and not run
};

/// The loader of another machine.
struct TargetLoader {
  std::optional<binary::ElfKind> kind; ///< of its programs
  BoundLoader bound = {};
};

/// Queries each loader of this machine once for its search path. That runs the loader, so only those in the
/// system's library directories are queried and, unless they are scanned, those in package stores and trusted
/// prefixes: a file may name any program as its loader.
class Loaders {
public:
  /// Stores references. `root`: `files` if a staged tree is judged, else nullptr; the loader of a staged tree
  /// that is a whole system is assumed to search where the distributions' do, and is not run.
  /// `target`: what the binding names for programs of another machine, whose loader is not run.
  Loaders(const Files& files, const Processes& processes, const LoaderTrust& trust,
          const RootedFiles* root = nullptr, const TargetLoader& target = {});

  const loader::LoaderPlaces* named(const std::string& loader, const binary::ElfKind& kind);

  /// Whether a tree has a loader at the path that the ABI of some machine defines.
  static bool are_in(const std::string& root);

private:
  enum class Way { none, read, run };
  Way way_to(const std::string& real) const;
  bool is_scanned(const std::string& real) const;
  std::optional<loader::LoaderPlaces> places_by(Way way, const std::string& loader,
                                                const std::string& target) const;
  bool is_of_target(const std::string& loader, const binary::ElfKind& kind) const;
  loader::LoaderPlaces places_of_target() const;

  const Files& files_;
  const Processes& processes_;
  LoaderTrust trust_; ///< symlinks resolved
  const RootedFiles* root_;
  TargetLoader target_;
  std::map<std::string, std::optional<loader::LoaderPlaces>> known_;
};

} // namespace hostpin::leak
