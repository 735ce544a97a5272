// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/fatbin.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// Decompresses a payload that is small and in memory: one LZ4 block, or one zstd frame, which padding may
/// follow. Nothing if it is damaged or exceeds `limit` bytes.
std::optional<std::string> unpacked_small(binary::DevicePacking packing, std::string_view packed,
                                          std::size_t limit);

/// The beginning of a decompressed LZ4 block: `enough` bytes and a few more, or all of it. Nothing if it is
/// damaged before that, or exceeds `limit` bytes before it is enough.
std::optional<std::string> unpacked_lz4(std::string_view packed, std::size_t limit, std::size_t enough);

} // namespace hostpin
