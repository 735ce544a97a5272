// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/world.hpp"
#include "toolchains/base/process.hpp"

#include <map>
#include <string>
#include <vector>

namespace hostpin {

/// A run path that was rewritten.
struct FixedRunPath {
  std::string path;   ///< as reported
  std::string tag;    ///< `RUNPATH` or `RPATH`
  std::string before; ///< as it stood
  std::string after;  ///< empty: the tag was taken away
};

/// A file that was left as it was although something in its run path should be otherwise.
struct Unfixed {
  std::string path;   ///< as reported
  std::string reason; ///< a clause without a full stop
};

struct Fixes {
  std::vector<FixedRunPath> done;
  std::vector<Unfixed> left;
};

/// ELF files of a scan: where they are, by the path that they are reported under.
using ElfFiles = std::multimap<std::string, std::string>;

/// Takes out of run paths what findings object to, with patchelf. It works on a copy beside the file; that
/// one takes the file's place only when nothing but the run path differs for the loader, and every library
/// and version that was found before still is. Files in archives, taken-over ones, and those with several
/// names, set-id bits or capabilities are left alone.
Fixes fix_run_paths(const Findings& findings, const ElfFiles& elfs, const World& world,
                    const Processes& processes);

/// What was changed, before and after, and what was left and why; for a person. Empty when nothing was to do.
std::string fixes_text(const Fixes& fixes);

} // namespace hostpin
