// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/flags.hpp"

#include "toolchains/cmdline/driver_options.hpp"

namespace hostpin {

std::vector<std::string> asking_flags(std::span<const std::string> flags) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < flags.size();) {
    const cmdline::DriverArgument read = cmdline::driver_argument(flags, i);
    const auto words = flags.subspan(i, read.size);
    const bool standard_input = flags[i] == "-";
    if (!standard_input && (read.option == nullptr || !read.option->is(cmdline::driver_use::not_in_question)))
      kept.insert(kept.end(), words.begin(), words.end());
    i += read.size;
  }
  return kept;
}

} // namespace hostpin
