// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/slices/call.hpp"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

namespace {

using namespace hostpin;

constexpr int exit_broken = 2;

int become_nvcc(const slices::Call& call, char* const* argv, char* const* envp) {
  ::execve(call.nvcc.c_str(), argv, envp);
  print_failure(os_failure("run " + call.nvcc).value());
  return exit_broken;
}

/// What the call means, with the options that nvcc reads from files and variables.
slices::Options options_of(char* const* arguments, int count, const Environment& environment) {
  const std::vector<const char*> words(arguments, arguments + count);
  const auto prepend = environment["NVCC_PREPEND_FLAGS"], append = environment["NVCC_APPEND_FLAGS"];
  cmdline::NvccCall call;
  call.arguments = words;
  if (prepend)
    call.prepend = *prepend;
  if (append)
    call.append = *append;
  return slices::options_of(cmdline::nvcc_command(call, cmdline::DiskArgumentFiles()));
}

} // namespace

/// nvcc-slices [--only GPU] STORE NVCC NAME [ARGUMENT...]: NAME is the real nvcc's argv[0].
int main(int argc, char** argv, char** envp) {
  keep_standard_streams();
  slices::Call call;
  int at = 1;
  if (argc > 2 && std::string_view(argv[1]) == "--only") {
    call.only = argv[2];
    at = 3;
  }
  if (argc < at + 3) {
    print_failure({"nvcc-slices is run by a bound nvcc: hostpin bind --slices STORE", {}});
    return exit_broken;
  }
  call.store = argv[at];
  call.nvcc = argv[at + 1];
  call.name = argv[at + 2];
  call.arguments.assign(argv + at + 3, argv + argc);
  const Environment environment = Environment::from(envp);
  slices::Options options = options_of(argv + at + 3, argc - at - 3, environment);
  if (!options.plain)
    options.plain = slices::run_call(call, options, environment);
  if (!options.plain)
    return 0;
  if (!call.only.empty()) {
    print_failure({fmt::format("the slices for {} were not made{}{}", call.only,
                               options.plain->note.empty() ? "" : ": ", options.plain->note),
                   "run the whole call: " + call.name});
    return exit_broken;
  }
  if (!options.plain->note.empty())
    fmt::print(stderr, "hostpin: note: {}\n", options.plain->note);
  return become_nvcc(call, argv + at + 2, envp);
}
