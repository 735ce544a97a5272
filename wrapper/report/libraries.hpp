// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/loader/loader.hpp"
#include "wrapper/report/content.hpp"

#include <string>
#include <vector>

namespace hostpin::report {

/// The loader, and what it has to find.
struct LoaderInUse {
  std::string loader; ///< as named in programs
  loader::LoaderPlaces places;
  std::string library; ///< the libstdc++ that should be loaded; empty: nothing is judged
};

/// Follows every program and shared library below the paths (or that is one of them) to its libstdc++, as the
/// loader would. Symlinks in a tree are not followed: their targets inside it are found anyway. Programs that
/// name another loader are only counted. Unreadable files are skipped: leak-check reports those.
ReportLibraries library_graph(const std::vector<std::string>& paths, const LoaderInUse& in_use,
                              const Files& files);

} // namespace hostpin::report
