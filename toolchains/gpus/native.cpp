// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/native.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace hostpin {

namespace {

constexpr const char* hint = "name the compute capabilities instead of `native`";

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

} // namespace

Result<std::vector<Capability>> read_native_capabilities(std::string_view output, const std::string& who) {
  std::vector<Capability> capabilities;
  while (!output.empty()) {
    const std::string line = first_line(output);
    output.remove_prefix(std::min(line.size() + 1, output.size()));
    if (line.empty())
      continue;
    const auto capability = capability_named(line);
    if (!capability)
      return failure(who + " answered \"" + line + "\" when asked for compute capabilities", hint);
    capabilities.push_back(*capability);
  }
  if (capabilities.empty())
    return failure(who + " reports no GPU on this machine", hint);
  return capabilities;
}

namespace {

// Without persistence mode the driver takes seconds for each GPU.
constexpr std::chrono::milliseconds time_to_answer{60'000};

Outcome run(const Processes& processes, std::vector<std::string> words) {
  const std::array<Command, 1> commands = {Command{std::move(words), {}, {}, time_to_answer}};
  return processes.run(commands).front();
}

std::string why(const Outcome& outcome) {
  const std::string text = first_line(outcome.errors.empty() ? outcome.output : outcome.errors);
  return describe(outcome) + (text.empty() ? "" : ": " + text);
}

} // namespace

Result<std::vector<Capability>> native_capabilities(const Processes& processes,
                                                    std::vector<std::string> driver) {
  const Outcome smi = run(processes, {"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"});
  auto answer = smi.ok() ? read_native_capabilities(smi.output)
                         : Result<std::vector<Capability>>(failure("nvidia-smi " + why(smi), hint));
  if (answer)
    return answer;
  const Outcome library = run(processes, std::move(driver));
  if (library.ok())
    return read_native_capabilities(library.output, "libcuda.so.1");
  if (smi.end == Outcome::End::not_started)
    return failure("no NVIDIA driver can be queried for this machine's GPUs: nvidia-smi: " + why(smi) + "; " +
                       first_line(library.errors.empty() ? describe(library) : library.errors),
                   hint);
  return answer;
}

} // namespace hostpin
