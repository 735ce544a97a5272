// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/doctor_verify.hpp"

#include "toolchains/base/scratch.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/bind/text.hpp"

#include <fmt/format.h>

namespace hostpin {

namespace {

// The headers that fail first when a front end is too old for a library, and a kernel so that both halves are
// compiled.
constexpr const char* source = R"(#include <algorithm>
#include <cstdio>
#include <cmath>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
std::optional<std::string> first(const std::vector<std::string>& v) {
  if (v.empty()) return std::nullopt;
  return *std::min_element(v.begin(), v.end());
}
#endif
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  std::vector<float> v(3, std::sqrt(2.0f));
  std::sort(v.begin(), v.end());
  saxpy<<<1, 1>>>(0, 1.0f, nullptr, nullptr);
  std::printf("%zu\n", v.size());
}
)";

/// A driver that is followed by arguments cannot be given to -ccbin directly.
std::string launcher(const Compiler& compiler, const std::string& directory, std::size_t number) {
  if (compiler.command.size() == 1)
    return compiler.command.front();
  const std::string path = fmt::format("{}/host-{}", directory, number);
  const std::string script = fmt::format("#!/bin/sh\nexec {} \"$@\"\n", shell_words(compiler.command));
  return replace_file(path, script, true) ? path : compiler.command.front();
}

std::string first_error(const Outcome& outcome) {
  const std::string all = outcome.errors + outcome.output;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string line = all.substr(at, end - at);
    if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos)
      return line;
    at = end + 1;
  }
  return describe(outcome);
}

} // namespace

std::vector<Proof> verify(const Toolkit& toolkit, const Assessment& assessment, const Context& context) {
  const auto scratch = ScratchDirectory::make(context.environment);
  if (!scratch) {
    report_note(fmt::format("nothing was verified: {}; {}", scratch.error().message, scratch.error().hint));
    return {};
  }
  const std::string& directory = scratch->path();
  const std::string file = "/saxpy.cu";
  if (const auto written = replace_file(directory + file, source, false); !written) {
    report_note(fmt::format("nothing was verified: {}", written.error().message));
    return {};
  }
  std::vector<Command> commands;
  for (std::size_t i = 0; i < assessment.judged.size(); ++i) {
    Command command{{toolkit.nvcc, "-ccbin", launcher(assessment.judged[i].compiler, directory, i), "-c",
                     directory + file, "-o", fmt::format("{}/{}.o", directory, i)},
                    {},
                    {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"}};
    command.own_temporary = true; // a terminated nvcc leaves its temporary files
    commands.push_back(std::move(command));
  }
  report_note(fmt::format("compiling with {} candidates; this takes a few seconds each", commands.size()));
  HostProcesses::Limits limits;
  limits.time = std::chrono::minutes(2);
  limits.ending = termination_signals();
  const std::vector<Outcome> outcomes = HostProcesses(limits).run(commands);
  std::vector<Proof> proofs;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Proof proof{i, outcomes[i].ok(), false, {}};
    proof.agrees = proof.compiled == (assessment.judged[i].verdict == Verdict::fits);
    if (!proof.compiled)
      proof.first_error = first_error(outcomes[i]);
    proofs.push_back(std::move(proof));
  }
  return proofs;
}

} // namespace hostpin
