// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace hostpin {

/// A compiler driver's command in which each run of objects and libraries named by path is replaced by one
/// argument that the driver passes to the linker in place. The answer is then the same for every such link,
/// can be cached, and is short however many objects there are. The output is renamed for the same reason.
struct Placeholders {
  std::vector<std::string> command;
  std::vector<std::vector<std::string>> inputs; ///< the n-th are those of the n-th placeholder
};

/// Inputs that the driver itself may read (sources, inputs after -x) are not replaced.
Placeholders replace_inputs(const std::vector<std::string>& command);

/// The linker's arguments with the placeholders replaced by the inputs.
std::vector<std::string> put_inputs_back(const std::vector<std::string>& words,
                                         const Placeholders& placeholders);

} // namespace hostpin
