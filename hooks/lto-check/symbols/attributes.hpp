// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hostpin::lto {

/// The highest number of an attribute's kind in the first module of bitcode: an LLVM reader that does not
/// know one of them reads nothing of the module, not even its symbols. 0 if it has none; nothing if it cannot
/// be read. Bytes after the module do not matter.
std::optional<std::uint64_t> newest_attribute(std::string_view bitcode);

} // namespace hostpin::lto
