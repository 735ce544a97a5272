// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/world.hpp"

#include <deque>
#include <string_view>

// The rules, by what they need to know of a file. `Judge` calls them.

namespace hostpin::leak {

/// forbidden-reference and build-directory, for needles, and for paths in text files and symlinks that lead
/// to an unwanted path after resolving symlinks or expanding variables; host-path-from-store if the file is
/// `in_store`. Paths in a RUNPATH are left to `judge_run_path`.
void judge_references(const ScannedFile& file, bool vendor, bool in_store, const World& world,
                      const Report& report);

/// foreign-machine, for a binding whose programs another machine runs: files that are not for that machine.
/// The members of a static library count as one. Device code and programs of microcontrollers are no
/// findings.
void judge_machine(const ScannedFile& file, bool vendor, const World& world, const Report& report);

/// Whether a section of that name is read by debuggers only, and not loaded.
bool is_for_debuggers(std::string_view section);

/// For each entry: forbidden-runpath, build-directory, host-path-from-store, cuda-stub-runpath,
/// runpath-not-a-directory, dangling-runpath; for the whole list: cuda-compat-order and driver-runpath. Only
/// for files that a loader reads.
void judge_run_path(const TreeElf& elf, const World& world, const Report& report);

/// The rules that need everything that a program would load: wrong-libstdcxx, unmet-version-need,
/// missing-library, foreign-machine (of a library that is found only as such a file), two-cuda-runtimes,
/// own-static-and-shared-cudart, needed-and-version-names-differ, missing-function. `elfs`: all of the tree;
/// those in archives with an unknown layout are skipped.
///
/// A library alone is followed as `ld.so --list` would. Since the program that loads it may have loaded the
/// right libraries before, only the library's own run path can be an error. A library that some program of
/// the tree finds for it is not reported as missing.
void judge_loaded(const std::deque<TreeElf>& elfs, const World& world, const Report& report);

} // namespace hostpin::leak
