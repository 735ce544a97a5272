// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/compiler/compiler.hpp"
#include "toolchains/table/table.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// ID, then each word of ID_LIKE, of an os-release file; malformed lines are skipped.
std::vector<std::string> distribution_ids(std::string_view os_release);

/// The value of one variable of an os-release file, without quotes; empty if it is not set.
std::string os_release_value(std::string_view os_release, std::string_view variable);

/// Which compiler a package is looked for.
struct CompilerPackage {
  Family family = Family::gcc;
  std::string target; ///< triple of a cross compiler; empty: for this machine
};

/// The package of a compiler major and how to install it: `g++-13` and `apt-get install g++-13`. Empty
/// strings if no row names one of the distributions, or its row has no package per major.
struct Installation {
  std::string package;
  std::string command;
};
Installation installation(const Table& table, const std::vector<std::string>& distributions,
                          const CompilerPackage& compiler, int major);

/// The command that prints which packages of these majors can be installed; empty if none is known.
std::vector<std::string> package_query(const Table& table, const std::vector<std::string>& distributions,
                                       const CompilerPackage& compiler, const std::vector<int>& majors);

/// `install g++-13 (apt-get install g++-13)` for the first of the majors whose package is in `listing`, the
/// output of that command (without one: the first), or `install GCC 13` if there is no such package; empty
/// without majors.
std::string install_hint(const Table& table, const std::vector<std::string>& distributions,
                         const CompilerPackage& compiler, const std::vector<int>& majors,
                         const std::optional<std::string>& listing = {});

/// The row of the first of the distributions that has one; empty if none has.
PackageName package_names(const Table& table, const std::vector<std::string>& distributions);

/// `g++-aarch64-linux-gnu (apt-get install g++-aarch64-linux-gnu)`: the distribution's own cross GCC; empty
/// if no row has one.
std::string cross_package(const Table& table, const std::vector<std::string>& distributions,
                          const std::string& triple);

} // namespace hostpin
