// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/evaluate.hpp"
#include "tests/e2e/toolchains/lab.hpp"
#include "tests/shipped_data.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/headers/header_probe.hpp"
#include "toolchains/judge/judge.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

constexpr const char* program = R"(
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  std::vector<std::string> words{"b", "a"};
  std::sort(words.begin(), words.end());
  saxpy<<<1, 256>>>(0, 2.0f, nullptr, nullptr);
  std::printf("%s\n", words.front().c_str());
}
)";

/// A directory that is removed afterwards.
class Scratch {
public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "hostpin-verdict.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
    std::ofstream(path + "/program.cu") << program;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::string path;
};

std::vector<Compiler> probed(const std::vector<std::string>& drivers) {
  std::vector<DriverCandidate> candidates;
  for (const std::string& driver : drivers)
    candidates.push_back({{driver}, "the lab"});
  std::vector<Compiler> compilers;
  for (const ProbeAnswer& answer : probe_drivers(DiskFiles(), HostProcesses(), candidates)) {
    if (const auto* const broken = std::get_if<BrokenCompiler>(&answer))
      FAIL_CHECK(broken->command.front() << ": " << broken->reason);
    else
      compilers.push_back(std::get<Compiler>(answer));
  }
  return compilers;
}

/// The same environment for every compile: no flags of whoever runs the test.
Command compile(const Toolkit& toolkit, const std::string& driver, const Scratch& scratch,
                std::size_t number) {
  Command command;
  command.argv = {toolkit.nvcc, "-ccbin",
                  driver,       "-arch=sm_75",
                  "-c",         scratch.path + "/program.cu",
                  "-o",         scratch.path + '/' + std::to_string(number) + ".o"};
  command.unset = {"NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CPATH", "CPLUS_INCLUDE_PATH"};
  return command;
}

struct Pair {
  std::string name;
  Judgement judgement;
};

/// Whether judgements[release][i] is at an edge of the table of releases and compilers: no neighbour of the
/// same family, or another verdict than a neighbour, in both directions. `compilers` are sorted by family and
/// version, releases by version. With HOSTPIN_FULL=1 every one counts.
bool at_edge(const std::vector<Compiler>& compilers, const std::vector<std::vector<Judgement>>& judgements,
             std::size_t release, std::size_t i) {
  const Verdict verdict = judgements[release][i].verdict;
  const auto compiler_differs = [&](std::size_t other) {
    return other >= compilers.size() || compilers[other].family != compilers[i].family ||
           judgements[release][other].verdict != verdict;
  };
  const auto release_differs = [&](std::size_t other) {
    return other >= judgements.size() || judgements[other][i].verdict != verdict;
  };
  return full_form() || ((compiler_differs(i - 1) || compiler_differs(i + 1)) &&
                         (release_differs(release - 1) || release_differs(release + 1)));
}

} // namespace

TEST_CASE("the verdict is fits exactly where the real compile succeeds") {
  const auto table = load_table(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(table.has_value());
  std::vector<Compiler> compilers = probed(lab().drivers);
  std::ranges::sort(compilers, {},
                    [](const Compiler& each) { return std::tuple(each.family, each.version); });
  REQUIRE_FALSE(compilers.empty());
  const Scratch scratch;
  const DiskFiles files;
  const HostProcesses processes;
  const ProgramHeaderProbe probe(hostpin::test::in_build("libexec/hostpin/stdlib-probe"), "", files,
                                 processes);

  std::vector<std::vector<Judgement>> judgements;
  for (const Toolkit& toolkit : lab().toolkits) {
    Acceptance acceptance;
    if (const auto* const row = table->documented(toolkit.version))
      acceptance.documented = *row;
    const auto evaluation =
        probe::evaluate_header(toolkit.host_config, toolkit.version, probe::Machine::x86_64, DiskFiles());
    REQUIRE(evaluation.has_value());
    acceptance.derived = evaluation->gate;
    acceptance.libcs = compare_libcs(toolkit, compilers, probe);
    for (const LibcComparison& libc : acceptance.libcs)
      if (!libc.clashes)
        FAIL(libc.clashes.error().message);
    std::vector<Judgement>& row = judgements.emplace_back();
    for (const Compiler& compiler : compilers)
      row.push_back(judge(compiler, toolkit, acceptance, *table));
  }
  std::vector<Pair> pairs;
  std::vector<Command> commands;
  for (std::size_t release = 0; release < judgements.size(); ++release)
    for (std::size_t i = 0; i < compilers.size(); ++i) {
      if (!at_edge(compilers, judgements, release, i))
        continue;
      const Toolkit& toolkit = lab().toolkits[release];
      const std::string& driver = compilers[i].command.front();
      commands.push_back(compile(toolkit, driver, scratch, commands.size()));
      pairs.push_back({"CUDA " + to_string(toolkit.version) + " with " + driver, judgements[release][i]});
    }
  HostProcesses::Limits patient;
  patient.time = std::chrono::seconds(120);
  const std::vector<Outcome> outcomes = HostProcesses(patient).run(commands);
  REQUIRE(outcomes.size() == pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    REQUIRE(outcomes[i].end == Outcome::End::exited);
    CAPTURE(pairs[i].name);
    CAPTURE(pairs[i].judgement.reason);
    CAPTURE(outcomes[i].errors.substr(0, 400));
    CHECK((pairs[i].judgement.verdict == Verdict::fits) == (outcomes[i].code == 0));
  }
  MESSAGE(pairs.size() << " pairs compiled");
}
