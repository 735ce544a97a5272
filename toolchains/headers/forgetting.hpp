// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hostpin {

/// Removes the oldest answers from an AnswerCache's directory if it exceeds one of the bounds. Removes a
/// quarter more, so that the next answer does not exceed them again. Other files are not touched.
void forget_oldest(const std::string& directory, std::size_t most_answers, std::uint64_t most_bytes);

} // namespace hostpin
