// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace hostpin {

/// A driver's command in which each run of objects and libraries named by path is one word that the driver
/// hands on to the linker in place. So its answer holds for every link of this kind, can be remembered, and
/// stays short however many objects there are. The output has another name, for the same reason.
struct Placeholders {
  std::vector<std::string> command;
  std::vector<std::vector<std::string>> inputs; ///< the n-th stands for the n-th placeholder
};

/// Words that the driver itself may look into (sources, what stands behind -x) stay.
Placeholders replace_inputs(const std::vector<std::string>& command);

/// The linker's words with the inputs in their places again.
std::vector<std::string> put_inputs_back(const std::vector<std::string>& words,
                                         const Placeholders& placeholders);

} // namespace hostpin
