// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/library/link_search.hpp"
#include "toolchains/loader/loader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::loader {

/// A loader's own search path, on this machine.
struct LoaderDescription {
  std::vector<std::string> directories;
  std::string cache;        ///< path of its ld.so.cache; the file need not exist
  std::string library_name; ///< value of $LIB
  std::string platform;     ///< value of $PLATFORM
  /// Subdirectories of glibc-hwcaps for this machine's processor, best first.
  std::vector<std::string> capabilities = {};
  std::string root = {};                         ///< as in LoaderPlaces
  bool elsewhere = false;                        ///< as in LoaderPlaces
  std::vector<std::string> own_directories = {}; ///< if `elsewhere`: the directories of that machine
};

/// Queries the loader itself (`--list-diagnostics`, glibc 2.33 and later) if this machine runs it. An older
/// one in a system directory is assumed to search where the distributions' do; of an older one elsewhere,
/// such as in a package store, only run paths are known. Nothing for a loader that is not glibc's: musl's
/// does not compare versions. `target`: normalised triple of its programs.
std::optional<LoaderDescription> describe_loader(const std::string& loader, const std::string& target,
                                                 const Processes& processes);

/// The same with the content of its cache, ready for use; empty for a loader that is not glibc's.
LoaderPlaces loader_places(const std::string& loader, const std::string& target, const Files& files,
                           const Processes& processes);

/// What a link driver's programs are made for.
struct LinkTarget {
  std::string loader;  ///< empty if the driver does not show one
  std::string library; ///< the C++ library of that name that a program will load; empty if it has none
  StandardLibraries libraries = StandardLibraries::unseen; ///< what the driver links by default
  std::vector<std::string> command = {};                   ///< the driver's
  std::string sysroot = {};                                ///< that it links with; empty for none
};

/// `library`: its soname, such as `libstdc++.so.6`. A driver may link another file than that, older and
/// without this name, so its directory is not used as a run path.
LinkTarget link_target(const std::vector<std::string>& command, const std::string& library,
                       const Files& files, const Processes& processes);

/// The loader of those programs. If this machine cannot run them, nothing of the target is run: its
/// directories are read from the loader's file in the sysroot, or presumed, and are those below the sysroot.
/// A cross compiler without a sysroot has the target's C and C++ libraries in its directories, which then
/// represent the directories of the machine that runs the programs. What that machine's processor and cache
/// add is not known. Nothing for a loader that is not glibc's.
std::optional<LoaderDescription> describe_loader(const LinkTarget& target, const std::string& triple,
                                                 const Files& files, const Processes& processes);

/// What `load` needs of a description: the content of its cache is read.
LoaderPlaces loader_places(LoaderDescription description, const Files& files);

} // namespace hostpin::loader
