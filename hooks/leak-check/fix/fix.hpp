// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/judge/world.hpp"
#include "toolchains/base/process.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace hostpin::leak {

/// A change that was made, or that people should make.
struct Fixed {
  std::string path;   ///< as reported
  std::string place;  ///< `RUNPATH`, `RPATH` or `line 7`
  std::string before; ///< the old text
  std::string after;  ///< empty: removed
};

/// Something wrong that was not changed.
struct Unfixed {
  std::string path;      ///< as reported
  std::string place;     ///< `line 7: -I/opt/gcc-11`; empty: the whole file
  std::string reason;    ///< a clause without a full stop
  std::string hint = {}; ///< what to do next; empty: follows from the reason
};

struct Fixes {
  std::vector<Fixed> done;
  std::vector<Fixed> proposed; ///< lines of texts, which are not written
  std::vector<Unfixed> left;
};

/// Files of a scan that may need a fix: their locations, by the whole path that they are reported
/// under.
using FixableFiles = std::map<std::string, std::string>;

/// Removes what findings object to from run paths, if the right one is certain. A file is replaced by a
/// changed copy atomically, or not at all. Files in archives, vendor files, and those with several names,
/// set-id bits or extended attributes are not changed, and findings of the rules `left` are ignored. Lines
/// of pkg-config, libtool and CMake files are only proposed.
Fixes fix(const std::vector<Finding>& findings, const FixableFiles& files, const std::set<Rule>& left,
          const World& world, const Processes& processes);

/// For people: what was changed and what should be, before and after, and what was not and why. Empty if
/// nothing was to do.
std::string fixes_text(const Fixes& fixes);

} // namespace hostpin::leak
