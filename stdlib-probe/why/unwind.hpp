// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hostpin {

/// A relocation in a section of unwind tables.
struct UnwindRelocation {
  std::uint64_t at = 0;      ///< offset of the relocated field
  std::size_t target = 0;    ///< caller's number of the target
  std::uint64_t section = 0; ///< of the target; 0 if it is not in this object
  std::uint64_t offset = 0;  ///< in that section
};

/// What the unwind information of one function refers to besides its code.
struct UnwindEntry {
  std::uint64_t function_section = 0;
  std::uint64_t function_offset = 0;
  std::vector<std::size_t> personality; ///< targets of its common entry
  bool has_table = false;               ///< it has an exception table, at:
  std::uint64_t table_section = 0;
  std::uint64_t table_offset = 0;
};

/// Reads the `.eh_frame` of a relocatable object, whose fields are identified by its relocations. A damaged
/// tail is skipped.
std::vector<UnwindEntry> unwind_entries(std::string_view content, bool little,
                                        std::span<const UnwindRelocation> relocations);

} // namespace hostpin
