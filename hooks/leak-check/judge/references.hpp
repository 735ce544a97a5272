// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/rules.hpp"
#include "hooks/leak-check/judge/world.hpp"

#include <string_view>
#include <vector>

namespace hostpin {

/// What a path in a file is used for, the most severe first.
enum class PathUse {
  dynamic,  ///< the loader reads it: NEEDED, filters and auditors, the interpreter
  link,     ///< the build that links against this reads it: .pc, .la, CMake files, linker scripts
  symlink,  ///< target of a symlink
  started,  ///< the kernel reads it: the first line of a script
  script,   ///< the rest of a script
  constant, ///< string constants of the code
  leftover, ///< in a string table, no longer referred to
  other,    ///< any other bytes
  debug,    ///< read by debuggers only, not loaded
};

/// Whether a section of that name is read by debuggers only, and not loaded.
bool is_for_debuggers(std::string_view section);

/// What a needle is used for. `part`: the facts of the file or member it is in; nullptr: unknown.
PathUse use_of(const FoundNeedle& found, const ScannedPart* part);

/// forbidden-reference and build-directory, with a severity by use. Paths in a RUNPATH are left to
/// `judge_run_path`.
void judge_references(const ScannedFile& file, bool vendor, const World& world, const Report& report);

/// The same for paths in .pc, .la and CMake files and in symlinks that only lead to an unwanted path through
/// symlinks of this machine.
void judge_led_paths(const ScannedFile& file, bool vendor, const World& world, const Report& report);

/// The same for paths in .pc and CMake files that are composed of variables, so that no needle matches
/// them.
void judge_composed_paths(const ScannedFile& file, bool vendor, const World& world, const Report& report);

/// host-path-from-store for .pc, .la and CMake files, scripts and symlinks.
void judge_host_paths(const ScannedFile& file, bool vendor, const Report& report);

/// Severities of an unwanted path, its explanation, and what to do.
struct Grade {
  Severity forbidden;
  Severity build;
  Severity toolkit; ///< nvcc's own path
  std::string_view explanation;
  std::string_view cure; ///< empty: the rule's own
};

const Grade& grade_of(PathUse use);

/// For each entry: forbidden-runpath, build-directory, host-path-from-store, cuda-stub-runpath,
/// runpath-not-a-directory, dangling-runpath; for the whole list: cuda-compat-order and driver-runpath. Only
/// for files that a loader reads.
void judge_run_path(const TreeElf& elf, const World& world, const Report& report);

} // namespace hostpin
