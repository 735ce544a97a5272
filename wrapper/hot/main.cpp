// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/call.hpp"
#include "wrapper/hot/obtain.hpp"
#include "wrapper/hot/system.hpp"

int main(int argc, char** argv, char** envp) {
  using namespace hostpin::hot;
  const Self self = find_self(argc > 0 ? argv[0] : nullptr);
  if (self.path.empty()) {
    complain("cannot tell where this program is installed: /proc is not mounted and argv[0] is no path");
    return exit_broken;
  }
  const std::span<const char* const> arguments(argv + (argc > 0 ? 1 : 0),
                                               static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  return self.name == "nvcc" ? run_nvcc(self, arguments, envp) : run_cxx(self, arguments, envp);
}
