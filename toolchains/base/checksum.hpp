// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hostpin {

/// A 64-bit digest that notices torn, truncated and edited files. Not for security: whoever can write a plan
/// can also write its checksum, so a plan's directory must belong to the user.
std::uint64_t checksum(std::string_view bytes, std::uint64_t seed = 0);

/// Of a regular file's content, by one pass over it; nothing, and errno, where it cannot be read.
std::optional<std::uint64_t> file_checksum(const char* path);

/// 16 lower-case hexadecimal digits.
std::array<char, 16> hexadecimal(std::uint64_t number);

} // namespace hostpin
