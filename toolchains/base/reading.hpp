// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace hostpin {

/// The bytes of an open file up to its end. Nothing if it cannot be read, with errno set: EFBIG if it has
/// more than `limit` bytes. `expected`: its size, as far as it is known.
std::optional<std::string> read_all(int descriptor, std::size_t limit, std::size_t expected = 0);

} // namespace hostpin
