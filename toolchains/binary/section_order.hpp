// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <elf.h>
#include <string>
#include <vector>

namespace hostpin::binary {

/// Numbers section headers anew so that their offsets ascend, as linkers write them. patchelf makes room for
/// program headers by moving the sections that follow them, up to the first header with a larger offset: of a
/// file in another order it overwrites sections.
class SectionOrder {
public:
  explicit SectionOrder(const std::vector<Elf64_Shdr>& sections);

  bool changes() const { return changes_; }
  /// The new number of a section; other numbers, such as SHN_ABS, stay.
  std::size_t of(std::size_t section) const {
    return section < numbers_.size() ? numbers_[section] : section;
  }
  /// The same headers in this order, with the numbers in them.
  std::vector<Elf64_Shdr> ordered(const std::vector<Elf64_Shdr>& sections) const;
  /// Replaces the numbers in the bytes of a table of symbols; whether any has changed.
  bool renumber_symbols(std::string& table) const;

private:
  std::vector<std::size_t> numbers_; ///< new ones, by old ones
  bool changes_ = false;
};

/// Whether the section has symbols of this file, which refer to other sections by number.
inline bool has_symbols(const Elf64_Shdr& section) {
  return section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
}

} // namespace hostpin::binary
