// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/fatbin/expectation.hpp"
#include "hooks/fatbin/inventory.hpp"
#include "wrapper/command/terminal.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Everything `fatbin` shows.
struct FatbinAnswer {
  Inventory inventory;
  std::optional<GpuExpansion> expected;
  std::vector<Comparison> comparisons; ///< one for each file where something is expected
  bool members = false;
};

/// `1.5 MB`; below 1 KB bytes alone.
std::string size_text(std::uint64_t bytes);

/// What mends a file that does not hold what was asked for: a command of nvprune, or the flags to build with.
std::string advice(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected);

/// A table for each file, and the sum of several.
std::string fatbin_text(const FatbinAnswer& answer, const Terminal& terminal);

/// What a file that does not agree is short of, and what it has too much of.
Error disagreement(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected);

/// The same as JSON; the schema is in wrapper/command/README.md.
std::string fatbin_json(const FatbinAnswer& answer);

} // namespace hostpin
