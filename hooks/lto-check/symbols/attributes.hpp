// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hostpin {

/// The highest number of an attribute's kind in the first module of bitcode: a reader of LLVM that does not
/// know one of them reads nothing of the module, not even its symbols. 0 when it has none; nothing when the
/// bytes do not tell. What stands behind the module does not matter.
std::optional<std::uint64_t> newest_attribute(std::string_view bitcode);

} // namespace hostpin
