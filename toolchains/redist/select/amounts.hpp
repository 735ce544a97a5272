// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace hostpin::redist {

/// Bytes in decimal units with one digit after the point: `3.3 GB`, `12.0 kB`, `17 bytes`.
std::string amount(std::uint64_t bytes);

} // namespace hostpin::redist
