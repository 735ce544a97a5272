// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/evaluate.hpp"
#include "tests/e2e/toolchains/lab.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/compiler/probe.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

// What the #error lines of these releases say; the Clang floor of all is 3.3.
const std::map<std::pair<int, int>, std::pair<int, int>> upper_ends = {
    {{11, 2}, {10, 11}}, {{11, 8}, {11, 14}}, {{12, 4}, {13, 17}}, {{13, 0}, {15, 20}}, {{13, 1}, {15, 21}},
    {{13, 2}, {15, 21}}, {{13, 3}, {15, 21}}, {{13, 4}, {16, 22}}, {{13, 5}, {16, 22}}};

Gate gate_of(const std::string& header, const Version& release) {
  auto evaluation = probe::evaluate_header(header, release, probe::Machine::x86_64, DiskFiles());
  if (!evaluation)
    FAIL(evaluation.error().message);
  return std::move(evaluation->gate);
}

} // namespace

TEST_CASE(
    "the gates of real toolkits are what their error lines say, and the same from a copied header alone") {
  const std::string copy = (std::filesystem::temp_directory_path() / "hostpin-copied-gate.h").string();
  int checked = 0;
  for (const Toolkit& toolkit : lab().toolkits) {
    const auto known = upper_ends.find({toolkit.version.major, toolkit.version.minor});
    if (known == upper_ends.end())
      continue;
    CAPTURE(toolkit.root);
    const Gate gate = gate_of(toolkit.host_config, toolkit.version);
    CHECK(gate.gcc == Bounds{std::nullopt, known->second.first});
    CHECK(gate.clang == Bounds{3, known->second.second});
    CHECK(gate.refusals.front().where.rfind("crt/host_config.h:", 0) == 0);
    std::filesystem::copy_file(toolkit.host_config, copy, std::filesystem::copy_options::overwrite_existing);
    const Gate copied = gate_of(copy, toolkit.version);
    CHECK(copied.gcc == gate.gcc);
    CHECK(copied.clang == gate.clang);
    CHECK(copied.refusals.size() == gate.refusals.size());
    ++checked;
  }
  std::filesystem::remove(copy);
  CHECK(checked > 0);
}

TEST_CASE("a real compiler is refused by the header exactly as evaluated") {
  std::vector<Command> commands;
  std::vector<bool> refused;
  std::vector<std::string> names;
  for (const Toolkit& toolkit : lab().toolkits) {
    const Gate gate = gate_of(toolkit.host_config, toolkit.version);
    std::vector<DriverCandidate> candidates;
    for (const std::string& driver : lab().drivers)
      candidates.push_back({{driver}, "the lab"});
    for (const ProbeAnswer& answer : probe_drivers(DiskFiles(), HostProcesses(), candidates)) {
      REQUIRE(std::holds_alternative<Compiler>(answer));
      const auto& compiler = std::get<Compiler>(answer);
      Command& command = commands.emplace_back();
      command.argv = compiler.command;
      command.argv.insert(command.argv.end(), {"-E", "-w", "-x", "c++", "-D__CUDACC__", "-D__NVCC__",
                                               "-D__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__", "-"});
      command.input = "#include \"" + toolkit.host_config + "\"\n";
      refused.push_back(gate.refusal(compiler.family, compiler.version) != nullptr);
      names.push_back(toolkit.root + " with " + compiler.command.front());
    }
  }
  const std::vector<Outcome> outcomes = HostProcesses().run(commands);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    CAPTURE(names[i]);
    CAPTURE(outcomes[i].errors.substr(0, 300));
    CHECK((outcomes[i].code != 0) == refused[i]);
  }
  MESSAGE(outcomes.size() << " pairs preprocessed");
  CHECK_FALSE(outcomes.empty());
}
