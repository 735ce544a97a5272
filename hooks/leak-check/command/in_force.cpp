// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/in_force.hpp"

#include "toolchains/base/ending.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/scratch.hpp"

#include <chrono>

namespace hostpin {

Result<void> add_binding_in_force(Policy& policy, const std::string& hostpin, const std::string& scratch,
                                  const Files& files) {
  constexpr const char* cure = "name one with --binding DIR, or say --no-binding";
  const EndingHeldBack held;
  const auto directory = ScratchDirectory::make(scratch);
  if (!directory)
    return tl::unexpected(directory.error());
  const std::string bound = directory->path() + "/bound";
  Command command;
  command.argv = {hostpin, "bind", bound};
  command.own_temporary = true;
  HostProcesses::Limits limits;
  limits.time = std::chrono::minutes(2); // many compilers on a busy machine
  limits.ending = held.signals();
  Outcome outcome;
  try {
    outcome = HostProcesses(limits).run({&command, 1}).front();
  } catch (const Interrupted&) { // is seen where the caller holds such requests back
    return failure("asked to end");
  }
  if (!outcome.ok()) {
    const std::string said = outcome.errors.substr(0, outcome.errors.find('\n'));
    return failure("no toolchain can be bound here to judge by: " + (said.empty() ? describe(outcome) : said),
                   cure);
  }
  return add_binding(policy, files, bound);
}

} // namespace hostpin
