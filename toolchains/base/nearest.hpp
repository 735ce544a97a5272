// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hostpin {

/// The known word that an unknown one was probably meant to be: up to a third of its letters may be wrong,
/// missing, extra or swapped, or it is a prefix of exactly one known word. Empty if none is near.
std::string nearest(std::string_view word, std::span<const std::string> known);

} // namespace hostpin
