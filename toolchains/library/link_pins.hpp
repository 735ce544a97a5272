// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/library/library.hpp"
#include "toolchains/library/link_line.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// The facts with the library that the driver's own link uses: a -L in the driver's command precedes the
/// driver's own directories.
LibraryFacts as_linked(LibraryFacts facts, const LinkLine& line, const Files& files);

/// Two drivers of different families and the `-###` output of each.
struct LinkSides {
  const Compiler& host;
  const Compiler& stdenv;
  const LibraryFacts& facts; ///< of the stdenv
  LinkLine host_line;
  LinkLine stdenv_line;

  /// Programs of the two start with different loaders.
  bool other_loader(const Files& files) const;
};

/// Arguments after the host compiler's driver, and the kind of the last one that pins the library.
struct Pin {
  std::vector<std::string> arguments;
  std::string by;                    ///< `--gcc-install-dir=...`; empty if no option is needed
  std::string run_path;              ///< added so that programs load the library; empty if they do anyway
  std::vector<std::string> searched; ///< directories of the stdenv that are searched first
};

/// Ways to make the host compiler's driver link as the stdenv does, the most faithful first. All include the
/// stdenv's sysroot, loader and run paths if they differ. None is guaranteed to work; see `misses`.
std::vector<Pin> pins(const LinkSides& sides, const Files& files);

/// What is wrong with a link that the host compiler's driver shows: one of the libraries or the loader
/// differs from the stdenv's own links. Nothing if it is correct.
std::optional<std::string> misses(const LinkSides& sides, const LinkLine& pinned, const Files& files);

} // namespace hostpin
