// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/rules.hpp"
#include "hooks/leak-check/judge/references.hpp"
#include "hooks/leak-check/judge/world.hpp"

#include <string_view>
#include <vector>

namespace hostpin {

/// What kind of place a path stands in, the one that hurts most first.
enum class Standing {
  dynamic,  ///< the loader reads it: NEEDED, filters and auditors, the interpreter
  link,     ///< who links against this reads it: .pc, .la, CMake files, linker scripts
  symlink,  ///< where one leads
  started,  ///< the kernel reads it: the first line of a script
  script,   ///< the rest of a script
  constant, ///< strings of code
  leftover, ///< in a string table, and nothing refers to it any more
  other,    ///< any other bytes
  debug,    ///< for debuggers only, and not loaded
};

/// Whether what stands in a section of that name is read by debuggers only, and not loaded.
bool is_for_debuggers(std::string_view section);

/// Where something stands. `part`: what is known of the file or member it is in; nullptr: nothing.
Standing standing_of(const FoundNeedle& found, const ScannedPart* part);

/// forbidden-reference and build-directory, graded by where it stands. What is in a RUNPATH is left to
/// `judge_run_path`.
void judge_references(const ScannedFile& file, bool vendor, const World& world, const Tell& tell);

/// The same for paths in .pc, .la and CMake files and in symlinks that lead to something unwanted by symlinks
/// of this machine only.
void judge_led_paths(const ScannedFile& file, bool vendor, const World& world, const Tell& tell);

/// The same for paths in .pc and CMake files that stand nowhere in one piece, as their variables compose
/// them.
void judge_composed_paths(const ScannedFile& file, bool vendor, const World& world, const Tell& tell);

/// host-path-from-store for .pc, .la and CMake files, scripts and symlinks.
void judge_host_paths(const ScannedFile& file, bool vendor, const Tell& tell);

/// How grave an unwanted path is, what is said of it, and what to do.
struct Grade {
  Severity forbidden;
  Severity build;
  Severity toolkit; ///< nvcc's own path
  std::string_view explanation;
  std::string_view cure; ///< empty: the rule's own
};

const Grade& grade_of(Standing standing);

/// Entry by entry: forbidden-runpath, build-directory, host-path-from-store, cuda-stub-runpath,
/// runpath-not-a-directory, dangling-runpath; and of all of them together cuda-compat-order and
/// driver-runpath. Only of files with something for the loader.
void judge_run_path(const TreeElf& elf, const World& world, const Tell& tell);

} // namespace hostpin
