// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/archive/unpack.hpp"
#include "toolchains/base/result.hpp"

#include <atomic>
#include <optional>
#include <span>
#include <string>

namespace hostpin::setup {

/// Where a package's file is in a root of compilers: `/bin`, `/lib*` and `/sbin` are the directories of
/// `/usr`, also for packages from before the merge. Of `/usr/share` only the licence texts are taken, to
/// `licenses/PACKAGE`; configuration, state and documentation are left out.
std::optional<std::string> place_in_root(const std::string& path);

/// Where a file of Debian's toolkit packages is in NVIDIA's layout: bin, nvvm, include, lib64, licenses. The
/// compiler, the headers and the CUDA runtime are taken, and libraries whose names, in lower case, begin as
/// one of `more`: the package of the headers has the static ones of all.
std::optional<std::string> place_in_toolkit(const std::string& path, std::span<const std::string> more = {});

/// How the files of a library's package begin: `libcublas` for `.../libcublas12_12.4.5.8_amd64.deb`; nothing
/// for other packages.
std::optional<std::string> library_in(const std::string& archive);

/// Whether only maintainer scripts, which are not run, need the package of this file: perl, python, debconf
/// ...
bool is_needless(const std::string& archive);

/// Unpacks packages into a new directory, which must not exist.
Result<void> unpack_packages(std::span<const std::string> archives, const std::string& into,
                             const Placement& placement);

} // namespace hostpin::setup
