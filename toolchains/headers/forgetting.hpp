// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hostpin {

/// Removes the oldest answers of an AnswerCache's directory where there are more, or more bytes of them.
/// Leaves a quarter of the bounds free, so that this is not due again with the next; and others' files alone.
void forget_oldest(const std::string& directory, std::size_t most_answers, std::uint64_t most_bytes);

} // namespace hostpin
