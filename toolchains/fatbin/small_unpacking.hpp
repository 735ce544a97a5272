// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/fatbin/heads.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// Unpacks a payload that is small and in memory: one LZ4 block, or one zstd frame, behind which padding may
/// follow. Nothing when it is damaged or becomes more than `limit` bytes.
std::optional<std::string> unpacked_small(DevicePacking packing, std::string_view packed, std::size_t limit);

} // namespace hostpin
