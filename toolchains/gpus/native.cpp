// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/native.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace hostpin {

namespace {

constexpr const char* hint = "name the compute capabilities instead of `native`";

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

} // namespace

Result<std::vector<Capability>> read_native_capabilities(std::string_view output) {
  std::vector<Capability> capabilities;
  while (!output.empty()) {
    const std::string line = first_line(output);
    output.remove_prefix(std::min(line.size() + 1, output.size()));
    if (line.empty())
      continue;
    const auto capability = capability_named(line);
    if (!capability)
      return failure("nvidia-smi answered \"" + line + "\" when asked for compute capabilities", hint);
    capabilities.push_back(*capability);
  }
  if (capabilities.empty())
    return failure("there is no GPU on this machine, says nvidia-smi", hint);
  return capabilities;
}

Result<std::vector<Capability>> native_capabilities(const Processes& processes) {
  const std::array<Command, 1> commands = {
      Command{{"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"}, {}, {}, {}}};
  const Outcome outcome = processes.run(commands).front();
  if (outcome.end == Outcome::End::not_started)
    return failure("no NVIDIA driver can be asked for this machine's GPUs: nvidia-smi: " + describe(outcome),
                   hint);
  if (!outcome.ok()) {
    const std::string words = first_line(outcome.errors.empty() ? outcome.output : outcome.errors);
    return failure("nvidia-smi " + describe(outcome) + (words.empty() ? "" : ": " + words), hint);
  }
  return read_native_capabilities(outcome.output);
}

} // namespace hostpin
