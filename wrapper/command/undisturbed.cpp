// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/undisturbed.hpp"

#include "toolchains/base/termination.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

namespace hostpin {

int undisturbed(const Context& context, const std::function<int(const Context&)>& work) {
  const DeferTermination held;
  try {
    HostProcesses::Limits limits;
    limits.strict = true;
    limits.ending = held.signals();
    const HostProcesses processes(limits);
    const DiskFiles files(DiskFiles::Trouble::thrown);
    return work({context.environment, files, processes, context.tree, context.terminal, context.program});
  } catch (const Interrupted&) {
    if (!termination_pending()) // the signal handlers could not be installed
      report({"cannot be told when to end, so no program was asked", "nothing was decided; try again"});
    return exit_broken; // never returned if a signal came, unless the caller blocks it
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) // the answer is lost: written_whole reports it
      throw;
    const bool denied = error.code() == std::errc::function_not_supported ||
                        error.code() == std::errc::operation_not_permitted;
    report({error.what(), denied ? "nothing was decided: this needs Linux 5.3, and a sandbox that allows it"
                                 : "nothing was decided; try again"});
  } catch (const std::bad_alloc&) {
    report({"out of memory", {}});
  } catch (const std::exception& error) {
    report({error.what(), "nothing was decided; try again"});
  }
  return exit_broken;
}

int tidied(const Context& context, const std::function<int(const Context&)>& work) {
  const DeferTermination held;
  try {
    HostProcesses::Limits limits;
    limits.ending = held.signals();
    const HostProcesses processes(limits);
    return work(
        {context.environment, context.files, processes, context.tree, context.terminal, context.program});
  } catch (const Interrupted&) {
    return exit_broken; // never returned, unless the caller blocks the signal
  }
}

} // namespace hostpin
