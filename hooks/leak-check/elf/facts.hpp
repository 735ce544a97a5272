// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/elf/sections.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"
#include "toolchains/binary/blob.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

struct ElfReading {
  ElfFrame frame;                    ///< without sections where their table is damaged
  ElfFacts facts;                    ///< as far as they could be read
  std::vector<std::string> troubles; ///< what could not, one sentence each
};

/// Reads whatever a file that begins with ELF's magic tells of itself; `LinkedIn` knows the rest.
ElfReading read_elf(const BlobSource& source);

/// What the loader would read of a file, symlinks followed; nothing when it could not use it. Unlike
/// `image_on_disk` it maps nothing, so that a file which is cut meanwhile is but one that cannot be read.
std::optional<Image> read_image_of(const std::string& path);

} // namespace hostpin
