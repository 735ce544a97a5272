// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/commands.hpp"

namespace hostpin::command {

int run_fatbin_repack(const Context& /*context*/, const RepackOptions& /*options*/) {
  report({"fatbin repack is not built into this hostpin", {}});
  return exit_broken;
}

} // namespace hostpin::command
