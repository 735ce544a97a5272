// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/table/platforms.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// One documented row: which GCC and Clang majors (inclusive) NVIDIA names for a release.
struct DocumentedRange {
  Version since; ///< first toolkit version that the row applies to; it applies until the next row
  int gcc_min = 0, gcc_max = 0;
  int clang_min = 0, clang_max = 0;
  std::string source;
  std::string note; ///< disagreements between sources, empty if there are none
};

/// A pair that is inside the range but fails. Every bound is inclusive; a missing one is open.
struct Exception {
  std::string name; ///< stable, such as `glibc-2.41-cospi`
  std::optional<Version> toolkit_min, toolkit_max;
  std::optional<Family> family;
  std::optional<Version> compiler_min, compiler_max;
  std::optional<Version> glibc_min, glibc_max;
  std::string library; ///< kind of the standard library, such as `libc++`; empty: any
  std::optional<Version> library_min, library_max; ///< of libc++, by its _LIBCPP_VERSION
  std::string target;              ///< first part of the target triple, such as `x86_64`; empty: any
  bool wants_warning_only = false; ///< advice: judged `fits`, with the reason printed
  bool wants_another = false;      ///< advice that affects selection: another compiler is preferred
  std::string reason;
  std::string source;
};

/// Something nvcc supports since some release, such as reading NVCC_CCBIN (`nvcc-ccbin-variable`).
struct Feature {
  std::string name;
  Version since;
  std::string source;
};

/// The newest GNU C library whose headers the headers of a toolkit take. Only plans of what to fetch use it:
/// headers that are there are compared (toolchains/libc).
struct NewestGlibc {
  Version since; ///< first toolkit version that the row applies to; it applies until the next row
  Version glibc; ///< inclusive
  std::string source;
};

/// How a distribution names the package of a compiler; `{major}` is replaced.
struct PackageName {
  std::vector<std::string> distributions; ///< ID and ID_LIKE values of os-release
  std::string gcc, clang;                 ///< empty if the distribution has no package per major
  std::string cross_gcc;           ///< for another target, whose triple replaces `{target}`; empty: none
  std::string command;             ///< such as `apt-get install {package}`
  std::vector<std::string> known;  ///< query that prints which of the packages after it exist
  std::vector<std::string> suites; ///< releases that may be asked for their packages, oldest first
  // What `hostpin setup` needs besides:
  std::string client;               ///< its package client, such as `dnf`; empty: none that is known
  std::string main_gcc, main_clang; ///< packages of the one compiler whose name has no major
  std::vector<std::string> keys;    ///< directories with the key files of its packages
};

struct Table {
  std::vector<DocumentedRange> ranges; ///< ascending by `since`
  std::vector<Exception> exceptions;
  std::vector<PackageName> packages;
  std::vector<Platform> platforms;
  std::vector<std::string> files; ///< the TOML files it was read from
  std::vector<Feature> features;
  std::vector<NewestGlibc> newest_glibcs; ///< ascending by `since`

  /// The newest C library for a toolkit version; null if there is no row for it, or it is newer than all rows
  /// of `ranges`.
  const NewestGlibc* newest_glibc(const Version& toolkit) const;
  /// The row for a toolkit version; null if it is older than the first row or its release is newer than
  /// the last.
  const DocumentedRange* documented(const Version& toolkit) const;
  /// True if a toolkit of this version has a feature; false if no row has that name.
  bool has_feature(std::string_view name, const Version& toolkit) const;
};

/// Reads cuda.toml, exceptions.toml, packages.toml and platforms.toml of `directory`. Errors carry
/// `file:line:column`.
Result<Table> load_table(const Files& files, const std::string& directory);

} // namespace hostpin
