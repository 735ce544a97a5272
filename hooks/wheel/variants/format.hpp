// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// Wheel variants, by PEP 825 as of May 2026, a draft: nothing else in hostpin knows its files.

namespace hostpin::wheel {

/// `nvidia :: sm_arch :: 90_real`: values by namespace and feature. A machine has to be compatible with one
/// value of each feature. Empty: the null variant, which fits every machine.
using Properties = std::map<std::string, std::map<std::string, std::set<std::string>>>;

/// The content of variant.json in a variant wheel, and of `{name}-{version}-variants.json` next to all of
/// them.
struct VariantsFile {
  std::vector<std::string> namespaces;                      ///< in decreasing priority
  std::map<std::string, std::vector<std::string>> features; ///< by namespace: those with a priority
  /// By namespace and feature: values with a priority.
  std::map<std::string, std::map<std::string, std::vector<std::string>>> values;
  std::map<std::string, Properties> variants; ///< by label
};

/// The label of the variant without properties.
inline constexpr std::string_view null_label = "null";

/// Whether it is a label: 1 to 16 of `0-9a-z_.`.
bool is_label(std::string_view text);

/// The file next to the wheels of a distribution and version, both as in a wheel's name.
std::string variants_file_name(std::string_view distribution, std::string_view version);

/// The same bytes for the same content.
std::string variants_text(const VariantsFile& file);

/// Reads either file. The error says what is wrong with it: it is not JSON, of another version of the format,
/// or not as the format has it.
Result<VariantsFile> read_variants(std::string_view text);

/// Adds the variants of `more`, as for another wheel of the same version. The error names a label that has
/// other properties there; priorities have to be the same.
Result<void> merge_variants(VariantsFile& file, const VariantsFile& more);

/// The values of a feature that a machine is compatible with, the best first; empty: it knows none.
using CompatibleValues = std::vector<std::string>;
/// By namespace, then features in decreasing priority.
using Compatible = std::map<std::string, std::vector<std::pair<std::string, CompatibleValues>>>;

/// The property that a machine is not compatible with, as text; empty if it is with all.
std::string incompatible(const Properties& properties, const Compatible& machine);

/// The labels whose variants a machine is compatible with, the most preferred first; `null` is the last.
std::vector<std::string> ordered_variants(const VariantsFile& file, const Compatible& machine);

/// `nvidia :: sm_arch :: 90_real`, one each.
std::vector<std::string> texts_of(const Properties& properties);

} // namespace hostpin::wheel
