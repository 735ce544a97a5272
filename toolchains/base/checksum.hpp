// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hostpin {

/// A 64-bit digest that detects torn, truncated and edited files. Not for security: a user who can write a
/// plan can also write its checksum, so a plan's directory must belong to the caller.
std::uint64_t checksum(std::string_view bytes, std::uint64_t seed = 0);

/// The checksum of a regular file's content, in one pass; nothing, with errno set, if it cannot be read.
std::optional<std::uint64_t> file_checksum(const char* path);

/// 16 lower-case hexadecimal digits.
std::array<char, 16> hexadecimal(std::uint64_t number);

} // namespace hostpin
