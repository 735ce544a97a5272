// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hostpin {

/// The one of the known words that was probably meant by one that is not known: a third of its letters may
/// be wrong, missing, too many or swapped, or it is the beginning of one word alone. Empty when none is near.
std::string nearest(std::string_view word, std::span<const std::string> known);

} // namespace hostpin
