// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/own_path.hpp"
#include "toolchains/redist/check/fetched_files.hpp"
#include "toolchains/redist/command/commands.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace hostpin::redist {

namespace {

std::string fetch_program() {
  return (std::filesystem::path(own_path()).parent_path() / "redist-fetch").string();
}

} // namespace

Result<int> with_documents(const Context& context, std::span<const std::string> arguments,
                           const std::function<Result<int>(const Context&)>& work) {
  FetchedFiles files(context.files);
  try {
    TRY(files.fetch(arguments, fetch_program(), context.processes));
  } catch (const Interrupted&) { // if the caller blocks termination signals
    return failure("interrupted");
  }
  return work({context.environment, files, context.processes, context.data, context.terminal});
}

// A separate program, because loading libcurl takes longer than most other subcommands run.
Result<int> run_fetch(const Context& /*context*/, Arguments arguments) {
  const std::string program = fetch_program();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const char* const argument : arguments)
    argv.push_back(const_cast<char*>(argument));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  return os_failure("run " + program, errno, "install hostpin again");
}

} // namespace hostpin::redist
