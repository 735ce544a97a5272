// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hostpin::redist {

/// The position, from 0, of the first byte in which two files differ, or at which one of them ends; nothing
/// if they are equal or cannot be read.
std::optional<std::uint64_t> first_difference(const std::string& one, const std::string& other);

} // namespace hostpin::redist
