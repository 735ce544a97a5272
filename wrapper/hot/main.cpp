// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/call.hpp"
#include "wrapper/hot/compiler_cache.hpp"
#include "wrapper/hot/obtain.hpp"
#include "wrapper/hot/system.hpp"

#include <new>
#include <string_view>
#include <unistd.h>

namespace {

/// Reports lack of memory instead of aborting.
[[noreturn]] void without_memory() {
  constexpr std::string_view words = "hostpin: error: out of memory\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, words.data(), words.size());
  _exit(hostpin::hot::exit_broken);
}

} // namespace

int main(int argc, char** argv, char** envp) {
  using namespace hostpin::hot;
  std::set_new_handler(without_memory);
  if (argc == 3 && argv[1] == fingerprint_option)
    return print_fingerprint(argv[2], envp);
  const Self self = find_self(argc > 0 ? argv[0] : nullptr);
  if (self.path.empty()) {
    complain(
        "cannot determine where this program is installed: /proc is not mounted and argv[0] is not a path");
    return exit_broken;
  }
  const std::span<const char* const> arguments(argv + (argc > 0 ? 1 : 0),
                                               static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  return self.name == "nvcc" ? run_nvcc(self, arguments, envp) : run_cxx(self, arguments, envp);
}
