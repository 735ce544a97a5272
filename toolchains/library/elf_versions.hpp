// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/library/elf.hpp"
#include "toolchains/library/elf_bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Names of the versions that a file defines, in its order, by its chain of `count` Verdef records at
/// `offset`; nothing when it is damaged. `strings`: its string table.
std::optional<std::vector<std::string>> read_definitions(const ElfBytes& file, std::string_view strings,
                                                         std::uint64_t offset, std::uint64_t count);

/// The versions that a file wants of each library, by its chain of Verneed records; likewise.
std::optional<std::vector<VersionNeed>> read_needs(const ElfBytes& file, std::string_view strings,
                                                   std::uint64_t offset, std::uint64_t count);

} // namespace hostpin
