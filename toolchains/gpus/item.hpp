// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/gpus/capability.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// One item of a list.
struct ListedCapability {
  Capability capability;
  bool ptx = false;  ///< `+ptx` or `-virtual` stands behind it
  bool cubin = true; ///< not for `-virtual`
};

/// Reads `8.6`, `9.0a+ptx`, `9.0-virtual`, which is PTX alone. The error's message says what is wrong with an
/// item, without naming it.
Result<ListedCapability> listed_capability(std::string_view item);

/// What stands between the separators: semicolons, commas, blanks and line ends. Empty items are kept where
/// nothing but blanks stands beside a semicolon or comma. One empty item for an empty list.
std::vector<std::string_view> items_of(std::string_view list);

/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// At most `limit` bytes of the text for a message, with all that is not printable ASCII as `\x1b`: a byte
/// order mark is to be seen, and nothing is to drive a terminal.
std::string visible(std::string_view text, std::size_t limit);

} // namespace hostpin
