// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/elf/sections.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"

#include <string>
#include <vector>

namespace hostpin {

struct ElfReading {
  ElfFrame frame;                    ///< without sections where their table is damaged
  ElfFacts facts;                    ///< as far as they could be read
  std::vector<std::string> troubles; ///< what could not, one sentence each
};

/// Reads whatever a file that begins with ELF's magic tells of itself, all but `has_...` and `names_driver`.
ElfReading read_elf(const BlobSource& source);

/// Looks for the strings of libraries that may be linked in: reads the sections of constants.
Result<void> find_linked_in(const Blob& file, ElfFacts& facts);

} // namespace hostpin
