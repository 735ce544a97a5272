// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/loader/loader.hpp"

#include <string>

namespace hostpin {

/// Where a loader looks, asked of itself (`--list-diagnostics`, glibc 2.33 and later); one that does not say
/// is assumed to look where the distributions' do. `target`: normalised triple of its programs.
LoaderPlaces loader_places(const std::string& loader, const std::string& target, const Files& files,
                           const Processes& processes);

/// The path of its ld.so.cache: that of its own prefix where it has one, else the system's.
struct LoaderDescription {
  std::vector<std::string> directories;
  std::string cache;        ///< path; the file need not exist
  std::string library_name; ///< what $LIB stands for
  std::string platform;     ///< what $PLATFORM stands for
};
/// The loader that a link driver makes programs for; empty when it does not show one.
std::string loader_of_links(const std::vector<std::string>& command, const Processes& processes);

LoaderDescription describe_loader(const std::string& loader, const std::string& target,
                                  const Processes& processes);

} // namespace hostpin
