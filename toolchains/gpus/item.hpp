// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/gpus/capability.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::gpus {

/// One item of a list.
struct ListedCapability {
  Capability capability;
  bool ptx = false;  ///< it has `+ptx` or `-virtual`
  bool cubin = true; ///< false for `-virtual`
};

/// Reads `8.6`, `9.0a+ptx`, `9.0-virtual`, which is PTX only. The error's message says what is wrong with an
/// item, without naming it.
Result<ListedCapability> listed_capability(std::string_view item);

/// The items between the separators: semicolons, commas, blanks and line ends. An item is empty if there are
/// only blanks next to a semicolon or comma. An empty list has one empty item.
std::vector<std::string_view> items_of(std::string_view list);

/// At most `limit` bytes of the text for a message; bytes other than printable ASCII are escaped as `\x1b`,
/// so that a byte order mark is visible and nothing controls the terminal.
std::string visible(std::string_view text, std::size_t limit);

} // namespace hostpin::gpus
