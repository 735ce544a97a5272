// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/command/commands.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace hostpin::redist {

// A separate program, because loading libcurl takes longer than most other subcommands run.
Result<int> run_fetch(const Context& /*context*/, Arguments arguments) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / "redist-fetch").string();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const char* const argument : arguments)
    argv.push_back(const_cast<char*>(argument));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  return failure("cannot run " + program + ": " + std::strerror(errno), "install hostpin again");
}

} // namespace hostpin::redist
