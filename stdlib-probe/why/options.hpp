// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin::probe {

/// The command line of `why`.
struct WhyOptions {
  std::string help; ///< the text of --help if requested
  bool json = false;
  bool chain = false;               ///< show how each line leads to the symbol
  bool predict = false;             ///< from the source alone, without compiling it
  bool object = false;              ///< `sources` are objects and archives that exist
  bool lines = false;               ///< print only symbols and lines
  std::vector<std::string> symbols; ///< mangled, instead of those above a limit; only with `object`
  std::vector<std::string> sources; ///< as spelt
  std::vector<std::string> max;     ///< versions
  std::string against;              ///< a library
  std::string library;              ///< the library that defines the versions; empty: the compiler's own
  std::string database;             ///< file or directory; empty: `command` counts
  std::vector<std::string> command; ///< arguments after `--`
};

/// An error if arguments are unknown or contradict each other, or if nothing is to be checked.
Result<WhyOptions> why_options(std::span<const char* const> arguments);

} // namespace hostpin::probe
