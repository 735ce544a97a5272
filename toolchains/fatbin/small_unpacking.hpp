// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/fatbin.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// Unpacks a payload that is small and in memory: one LZ4 block, or one zstd frame, behind which padding may
/// follow. Nothing when it is damaged or becomes more than `limit` bytes.
std::optional<std::string> unpacked_small(binary::DevicePacking packing, std::string_view packed,
                                          std::size_t limit);

/// The beginning of what an LZ4 block becomes: `enough` bytes and a few more, or all of it. Nothing when it
/// is damaged before them, or becomes more than `limit` bytes before it is enough.
std::optional<std::string> unpacked_lz4(std::string_view packed, std::size_t limit, std::size_t enough);

} // namespace hostpin
