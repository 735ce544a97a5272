// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/tree/root.hpp"
#include "toolchains/tracing/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace hostpin::redist {

/// An output of a package that a build used, or that programs need where they run.
struct NeededPart {
  std::string package;     ///< `libcublas`
  std::string platform;    ///< of the archive
  std::string output;      ///< `include`
  std::size_t files = 0;   ///< that were opened or executed; where programs run: that are loaded
  std::uint64_t bytes = 0; ///< of all files of the output, which is installed as a whole
  std::string why;         ///< `app.cu:3 includes cublas_v2.h`, `app needs libcublas.so.12`
};

/// What a build used of a composed toolkit.
struct Needs {
  std::vector<NeededPart> build;     ///< by package, platform and output
  std::vector<NeededPart> run;       ///< of shared libraries, likewise
  std::vector<std::string> expected; ///< sonames that only exist where programs run, sorted
  std::vector<std::string>
      missing;                   ///< sonames that programs or libraries need, and the toolkit lacks; sorted
  std::vector<std::string> made; ///< files that were used, and that hostpin made: no archive has them
  std::uint64_t whole = 0;       ///< bytes of the toolkit
};

/// Judges by the files that a build opened below `directory`, the root's real path, and by the programs and
/// libraries among those that it wrote and that are still there. Paths in reasons are relative to `current`.
/// Names that a build only looked for, or asked the size of, are not needed.
Needs needs_of(const tracing::Trace& trace, const Root& root, const std::string& directory,
               const std::string& current, const TreeFacts& facts);

/// `PACKAGE.OUTPUT`, as `compose --outputs` takes it.
std::string name_of(const NeededPart& part);

/// Bytes of these parts, each once.
std::uint64_t bytes_of(const Needs& needs);

} // namespace hostpin::redist
