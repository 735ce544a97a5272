// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"

#include <cstdio>

namespace hostpin::redist {

int print_help(const Context& context, const std::string& help) {
  std::fputs(options::wrapped_help(help, context.terminal.width()).c_str(), stdout);
  return exit_clean;
}

Result<void> write_output(const std::string& file, const std::string& text) {
  if (!file.empty() && file != "-")
    return replace_file(file, text, false);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

} // namespace hostpin::redist
