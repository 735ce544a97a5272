// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/terminal.hpp"
#include "wrapper/setup/license.hpp"
#include "wrapper/setup/plan.hpp"
#include "wrapper/setup/record.hpp"

#include <string>
#include <vector>

namespace hostpin::setup {

/// What will be done, as text: what is here, what will be fetched from where, its size and license.
std::string plan_page(const Plan& plan, const std::vector<License>& licenses, const std::string& directory,
                      const Terminal& terminal);

/// What an earlier run made.
std::string known_page(const KnownSetup& known, const Terminal& terminal);

/// A stdenv that was fetched, and the libraries that its programs load.
struct FetchedStdenv {
  std::string root;                 ///< `DIR/stdenv`
  std::string name;                 ///< `GCC 12.2.0`
  std::string library;              ///< libstdc++.so.6 as its programs find it, symlinks resolved
  std::vector<std::string> lacking; ///< GCC's libraries in its directory, because the machine lacks them
};

/// Against what programs are linked, and what they run with.
std::string stdenv_page(const FetchedStdenv& stdenv, const Terminal& terminal);

/// Lines to paste for CMake, make and pip, each with its name. `stdenv` is the root of a stdenv that was
/// fetched, or empty.
std::string next_lines(const std::string& directory, const std::string& stdenv, const std::string& program,
                       const Terminal& terminal);

} // namespace hostpin::setup
