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

/// The facts with the library that the driver's own link takes: a -L behind the driver's name comes before
/// what the driver finds by itself.
LibraryFacts as_linked(LibraryFacts facts, const LinkLine& line, const Files& files);

/// Two drivers of different families and what each shows of its own links.
struct LinkSides {
  const Compiler& host;
  const Compiler& stdenv;
  const LibraryFacts& facts; ///< of the stdenv
  LinkLine host_line;
  LinkLine stdenv_line;

  /// Programs of the two start with different loaders.
  bool other_loader(const Files& files) const;
};

/// Arguments behind the host compiler's driver, and what the last of them that pins the library is.
struct Pin {
  std::vector<std::string> arguments;
  std::string by;                    ///< `--gcc-install-dir=...`; empty when nothing has to be said
  std::string run_path;              ///< added so that programs load the library; empty when they do anyway
  std::vector<std::string> searched; ///< directories of the stdenv's that are searched first
};

/// Ways to make the host compiler's driver link as the stdenv does, the most faithful first. All carry over
/// the stdenv's sysroot, loader and run paths where they differ. None has to be right; see `misses`.
std::vector<Pin> pins(const LinkSides& sides, const Files& files);

/// What is wrong with a link that the host compiler's driver shows: one of the libraries or the loader is
/// not what the stdenv's own links take. Nothing when all is as it should be.
std::optional<std::string> misses(const LinkSides& sides, const LinkLine& pinned, const Files& files);

} // namespace hostpin
