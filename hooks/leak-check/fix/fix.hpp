// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/judge/world.hpp"
#include "toolchains/base/process.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace hostpin {

/// A change that was made.
struct Fixed {
  std::string path;   ///< as reported
  std::string place;  ///< `RUNPATH`, `RPATH` or `line 7`
  std::string before; ///< as it stood
  std::string after;  ///< empty: nothing stands there any more
};

/// Something that was left as it was although it should be otherwise.
struct Unfixed {
  std::string path;      ///< as reported
  std::string place;     ///< `line 7: -I/opt/gcc-11`; empty: the whole file
  std::string reason;    ///< a clause without a full stop
  std::string hint = {}; ///< what to do next; empty: the reason says it
};

struct Fixes {
  std::vector<Fixed> done;
  std::vector<Unfixed> left;
};

/// Files of a scan that may have something to mend: where they are, by the whole path that they are reported
/// under.
using FixableFiles = std::map<std::string, std::string>;

/// Takes out of run paths and of the words for a linker in pkg-config, libtool and CMake files what findings
/// object to, where it is certain what belongs there. A file is replaced at once by a changed copy, or not at
/// all. Files in archives, taken-over ones, and those with several names, set-id bits or attributes of their
/// own are left alone, and so is what rules of `left` say.
Fixes fix(const std::vector<Finding>& findings, const FixableFiles& files, const std::set<Rule>& left,
          const World& world, const Processes& processes);

/// What was changed, before and after, and what was left and why; for a person. Empty when nothing was to do.
std::string fixes_text(const Fixes& fixes);

} // namespace hostpin
