// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/fatbin/expectation.hpp"
#include "hooks/fatbin/inventory.hpp"
#include "toolchains/base/terminal.hpp"
#include "toolchains/gpus/gpus.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// A file held against what is expected.
struct FatbinVerdict {
  Comparison comparison;
  bool agrees = false;
  bool only_jetsons_too_many = false; ///< as nvcc's own `all` has them and a list of ours has not
  std::string advice;                 ///< what mends it; empty where it agrees
};

/// Everything `fatbin` shows.
struct FatbinAnswer {
  Inventory inventory;
  std::optional<GpuExpansion> expected;
  /// One for each file where something is expected; nothing for a file that could not be read whole, where
  /// what is missing may be.
  std::vector<std::optional<FatbinVerdict>> verdicts;
  bool members = false;
  bool each = false; ///< each fatbin is to hold what is expected

  /// Whether everything holds what is expected, and there is anything; nothing where nothing is expected or
  /// something could not be read.
  std::optional<bool> agrees() const;
};

/// The nvprune of a toolkit.
struct Pruner {
  std::string program; ///< absolute path
  Version release;     ///< of the toolkit
  std::vector<Gpu> gpus;
};

/// `1.5 MB`; below 1 KB bytes alone.
std::string size_text(std::uint64_t bytes);

/// Whether nvprune could make of the file what was asked for, without looking for one.
bool is_prunable(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected);

/// What mends a file that does not hold what was asked for: a command of that nvprune which a shell can be
/// given as it is and which overwrites nothing, else the flags to build with.
std::string advice(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected,
                   const std::optional<Pruner>& pruner);

/// A name as a terminal may show it.
std::string shown_name(const std::string& name);

/// The members that lack it, a few of them: ` (a.o, b.o and 3 more)`; empty where the file has no members.
std::string members_text(const HeldCode& code, const FileInventory& file);

/// A table for each file, and the sum of several.
std::string fatbin_text(const FatbinAnswer& answer, const Terminal& terminal);

/// Whether all of it could be read and there is none, or none with functions: a named file alone can be so.
bool has_no_device_code(const FileInventory& file);

/// What a file that does not agree is short of, and what it has too much of.
Error disagreement(const FileInventory& file, const FatbinVerdict& verdict, bool each);

/// The same as JSON; the schema is in wrapper/command/README.md.
std::string fatbin_json(const FatbinAnswer& answer);

} // namespace hostpin
