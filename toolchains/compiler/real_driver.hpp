// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What a C++ driver's file name suggests: used to find and order drivers, never to identify one.
struct DriverName {
  std::string target; ///< `x86_64-linux-gnu` of `x86_64-linux-gnu-g++-13`; empty without one
  int rank = 0;       ///< lower is preferred: `g++-13`, `g++`, `c++`, `...-g++`, ..., `mpicxx`
  int stem = 0;       ///< position of its stem in the table of stems
  Version version;    ///< 13 of `g++-13`; 0 without one
};

/// Reads names such as `g++`, `clang++-17`, `aarch64-linux-gnu-g++-12`; nothing for names of other programs.
std::optional<DriverName> driver_name(std::string_view name);

/// True if a program adds to what another driver does, and selects that when it runs: an MPI wrapper, or a
/// link to a program that is not named like a driver (ccache).
bool is_wrapper(const std::string& program, const Files& files);

/// True if `a` is to be probed before `b` if both are in one directory.
bool comes_before(const DriverName& a, const DriverName& b);

/// The command of a shell script that only executes another program with the script's arguments appended:
/// comments, then `[NAME=value]... exec /program [word]... "$@"`, without any other word that the shell would
/// expand, except `$PATH` at the end of PATH. Nothing for every other script: its behaviour may depend on
/// anything.
std::optional<std::vector<std::string>> launched_by(std::string_view script);

/// The compiler's own driver behind a command, if its answers depend on nothing but files and the
/// environment.
struct RealDriver {
  std::string program;            ///< as the last one in the chain calls it
  std::vector<std::string> files; ///< scripts and programs from the command to the driver
};

/// Follows plain scripts. The error says what could make the driver's answers depend on more: another kind of
/// script, a launcher that is not a driver, an argument whose meaning is not known to be constant.
Result<RealDriver> real_driver(const std::vector<std::string>& command, const Files& files);

} // namespace hostpin
