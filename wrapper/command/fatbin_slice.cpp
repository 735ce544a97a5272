// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/commands.hpp"

namespace hostpin::command {

int run_fatbin_slice(const Context& /*context*/, const SliceOptions& /*options*/) {
  report({"fatbin slice is not built into this hostpin", {}});
  return exit_broken;
}

int run_fatbin_merge(const Context& /*context*/, const MergeOptions& /*options*/) {
  report({"fatbin merge is not built into this hostpin", {}});
  return exit_broken;
}

} // namespace hostpin::command
