// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/elf/sections.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hostpin {

/// Searches the constants of an ELF file, while it is read, for strings of libraries that may be linked in.
class LinkedIn {
public:
  /// Without sections nothing is searched.
  explicit LinkedIn(const std::vector<ElfSection>& sections = {});

  /// Pieces of the file in any order; adjacent ones must overlap by `overlap` bytes.
  void see(std::uint64_t offset, std::string_view bytes);
  static constexpr std::size_t overlap = 64; ///< more than the longest string

  /// Adds the results of another part of the same file.
  void merge(const LinkedIn& other);
  void tell(ElfFacts& facts) const;

private:
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Range> constants_;
  std::array<bool, 3> seen_{};
};

} // namespace hostpin
