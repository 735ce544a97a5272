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
  ElfFrame frame;                    ///< without sections if their table is damaged
  ElfFacts facts;                    ///< as far as they could be read
  std::vector<std::string> troubles; ///< parts that could not be read, one sentence each
};

/// Reads the properties of a file that begins with ELF's magic; `LinkedIn` finds the others.
ElfReading read_elf(const BlobSource& source);

/// What the loader would read of a file, symlinks followed; nothing if it could not use it. Unlike
/// `image_on_disk` it maps nothing, so that a file which is truncated meanwhile is only an unreadable one.
std::optional<Image> read_image_of(const std::string& path);

} // namespace hostpin
