// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/elf.hpp"
#include "toolchains/loader/loader.hpp"
#include "toolchains/redist/tree/compose_facts.hpp"
#include "toolchains/redist/tree/layout.hpp"
#include "toolchains/redist/tree/origin.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A file of a root: its entry, where its bytes are, and what the loader reads of it.
struct RootFile {
  const OriginEntry* entry = nullptr;
  std::string file;                   ///< on disk: in the root or in a store
  std::uint64_t size = 0;             ///< bytes; 0 for links
  std::optional<binary::Image> image; ///< of dynamically linked programs and of shared libraries, stubs too
};

/// A root as the rules and closures read it.
class Root {
public:
  /// Of a composed root on disk.
  static Root of_directory(const std::string& directory, Origin origin);
  /// Of one that is not written, from the files of the store.
  static Root of_plan(const RootPlan& plan);

  const Origin& origin() const { return origin_; }
  const std::vector<RootFile>& files() const { return files_; }

  /// The file at a path below the root, links followed within their directory; null if there is none.
  const RootFile* at(const std::string& path) const;

  /// The archive of a file; null if hostpin made it.
  const LockedArchive* archive_of(const RootFile& file) const;

  /// The directory of the file, ending with a slash.
  static std::string directory_of(const RootFile& file);

  /// The shared library that the loader finds for a name that `user` needs or opens, if LD_LIBRARY_PATH is
  /// the library directory of its target, as where a toolkit is used without run paths. Null if there is
  /// none.
  const RootFile* library(const RootFile& user, std::string_view name) const;

  /// The library that is opened by such a name: that file, or the one of the name with a version.
  const RootFile* opened(const RootFile& user, std::string_view name) const;

private:
  Root(Origin origin, const std::map<std::string, std::string>& sources, std::string directory);

  /// The file at a path on the machine, symlinks followed; null if there is none.
  const RootFile* loaded_from(const std::string& path) const;
  /// Likewise the path without symlinks.
  std::optional<std::string> real_path(const std::string& path) const;
  std::string library_directory(const RootFile& user) const;

  Origin origin_;
  std::string directory_; ///< absolute, without symlinks, ending with a slash
  std::vector<RootFile> files_;
  std::map<std::string, std::size_t, std::less<>> by_path_;
};

} // namespace hostpin::redist
