// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/tree/binaries.hpp"
#include "toolchains/redist/tree/content_facts.hpp"
#include "toolchains/redist/tree/texts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::redist {

/// A file or symbolic link of a tree.
struct TreeFile {
  std::string path;                ///< below the tree
  std::string output;              ///< see `output_of`
  std::uint64_t size = 0;          ///< bytes; of a link those of its target's name
  std::optional<std::string> link; ///< the target of a symbolic link, as it is stored
};

/// Headers of another package, or of none, that a header may include.
struct HeaderNeeds {
  std::string path;
  std::vector<std::string> names; ///< as in #include, sorted
};

/// Paths of another machine in a text file.
struct FileWithHostPaths {
  std::string path;
  std::vector<HostPath> found;
};

/// What is in an unpacked archive; all lists are sorted by path.
struct Contents {
  std::vector<TreeFile> files;
  std::vector<Binary> binaries;
  std::vector<DamagedFile> damaged;
  std::vector<HeaderNeeds> headers; ///< those with names that neither the tree nor a system has
  std::vector<FileWithHostPaths> host_paths;
  std::map<std::string, std::string> macros; ///< path of a header -> the version that its macros give
  std::vector<std::string> pkgconfig;        ///< names for pkg-config, sorted
  std::vector<std::string> cmake;            ///< names for find_package, sorted
  /// Directories of `lib` for single CUDA releases, such as `11` and `12`, sorted.
  std::vector<std::string> cuda_directories;

  /// Null if there is no file or link of that path.
  const TreeFile* file(const std::string& path) const;
  const Binary* binary(const std::string& path) const;
  /// The path of the file that a path is, links followed, all within the tree; nothing if there is none.
  std::optional<std::string> resolved(const std::string& path) const;
};

/// Reads a tree: the directory with `lib`, `include` and so on of an unpacked archive of `package`. Links are
/// not followed. The error is about a directory that cannot be read.
Result<Contents> inspect(const std::string& directory, const std::string& package, const ContentFacts& facts);

/// Whether a library is a stub: one for linking only, in a directory for those.
bool is_stub(const Binary& binary);

} // namespace hostpin::redist
