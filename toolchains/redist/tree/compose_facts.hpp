// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/tree/content_facts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// Where a directory of archives is in a composed root.
struct LayoutRow {
  std::string from; ///< directory in the archive; `{triple}` is NVIDIA's triple of the platform
  std::string to;   ///< directory in the root; `{target}` is `targets/NAME`
  std::vector<std::string> packages; ///< only of these; empty: of all

  bool is_for_target() const { return to.starts_with("{target}"); }
};

/// Shared libraries that no archive has and that exist where programs run.
struct RunLibraries {
  std::string by;                 ///< `driver`, `compiler`, `system` or `jetson`: who provides them
  std::vector<std::string> names; ///< sonames; `*` at the end matches the rest
};

/// Headers of one package that headers of others include.
struct HeaderRow {
  std::string name;                  ///< as included; `*` at the end matches the rest
  std::vector<std::string> packages; ///< any of these has it
};

/// Whether CMake's FindCUDAToolkit finds `targets/NAME` when cross-compiling.
struct CmakeTarget {
  std::string target;           ///< `sbsa-linux`
  std::optional<Version> since; ///< the first release that is known to find it; nothing: none does
  std::string alias;            ///< a name that earlier releases know; empty: there is none
};

/// `data/redist-compose.toml`: what composed roots need.
struct ComposeFacts {
  std::vector<LayoutRow> layout;
  std::vector<RunLibraries> run_libraries;
  std::vector<HeaderRow> headers;
  std::vector<CmakeTarget> cmake_targets;

  /// Who provides a library where programs run; empty if no row has it.
  std::string_view provider(std::string_view soname) const;
  const HeaderRow* header_row(std::string_view name) const;
  const CmakeTarget* cmake_target(std::string_view target) const;
};

/// All facts that composing and checking a root need.
struct TreeFacts : Facts {
  ComposeFacts compose;
  ContentFacts content;
};

/// Reads them from the directory of the data files.
Result<TreeFacts> load_tree_facts(const Files& files, const std::string& directory);

/// `libnvrtc` for `libnvrtc.so.13`, the name itself if it has no `.so`.
std::string_view library_stem(std::string_view name);

/// What follows `.so.`, such as `13`; empty if there is nothing.
std::string_view library_version(std::string_view name);

/// Whether `pattern` is the text, or the beginning of it followed by `*`.
bool fits_pattern(std::string_view pattern, std::string_view text);

} // namespace hostpin::redist
