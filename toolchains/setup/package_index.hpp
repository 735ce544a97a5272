// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/setup/packages.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::setup {

// Readers of what dnf, zypper and pacman have in their caches and print. Versions are
// `EPOCH:VERSION-RELEASE`, without an epoch of 0. A package without a name, a version or a file name is
// skipped; its file never is a path.

/// The packages of a repository's primary.xml, compressed or not (createrepo_c's format, which Fedora, RHEL
/// and openSUSE use). `address` is the location below the repository. `sha256` is empty if the index has
/// another checksum. The error has the name of the file.
Result<std::vector<Package>> read_rpm_index(const std::string& file);

/// The same of the text itself.
Result<std::vector<Package>> read_rpm_index_text(std::string_view xml);

/// The packages of a database of `pacman -Sy`: a compressed tar with a file `desc` for each
/// (alpm-repo-db(7)). `address` is empty.
Result<std::vector<Package>> read_pacman_index(const std::string& file);

/// The package in one `desc` file; its fields are empty where the text lacks them.
Package read_pacman_desc(std::string_view text);

/// What `zypper --xmlout` prints.
struct ZypperOutput {
  struct Repository {
    std::string alias, address;
  };
  std::vector<Repository> repositories; ///< of `repos`
  std::vector<Package> packages;        ///< that `install` would install: name, version, architecture
  std::string errors;                   ///< messages of type error or warning, one a line
};

/// Text that is no XML ends what is read.
ZypperOutput read_zypper_output(std::string_view xml);

} // namespace hostpin::setup
