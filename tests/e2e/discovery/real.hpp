// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/e2e/toolchains/lab.hpp"
#include "tests/tree.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/compiler/probe.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace hostpin::test {

/// A directory with a space in its name, for scripts in place of programs.
class Scratch : public Tree {
public:
  Scratch() : Tree("hostpin discovery") {}

  std::string script(const std::string& name, const std::string& body) const {
    const std::string file = write(name, "#!/bin/sh\n" + body + '\n');
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
};

inline std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

inline std::vector<ProbeAnswer> ask(const std::vector<std::vector<std::string>>& commands) {
  std::vector<DriverCandidate> candidates;
  for (const auto& command : commands)
    candidates.push_back({command, "test"});
  return probe_drivers(DiskFiles(), HostProcesses(), candidates);
}

/// The compiler that a command runs; nothing, with a message, if it cannot be queried.
inline std::optional<Compiler> asked(const std::vector<std::string>& command) {
  const ProbeAnswer answer = ask({command}).front();
  if (const auto* const broken = std::get_if<BrokenCompiler>(&answer)) {
    MESSAGE("skipped: " << command.front() << ": " << broken->reason);
    return std::nullopt;
  }
  return std::get<Compiler>(answer);
}

inline std::vector<Compiler> lab_compilers() {
  std::vector<std::vector<std::string>> commands;
  for (const std::string& driver : lab().drivers)
    commands.push_back({driver});
  std::vector<Compiler> compilers;
  for (const ProbeAnswer& answer : ask(commands)) {
    if (const auto* const broken = std::get_if<BrokenCompiler>(&answer))
      FAIL_CHECK(broken->command.front() << ": " << broken->reason);
    else
      compilers.push_back(std::get<Compiler>(answer));
  }
  return compilers;
}

inline std::optional<Compiler> lab_compiler(const std::string& name) {
  for (const std::string& driver : lab().drivers)
    if (base_name(driver) == name)
      return asked({driver});
  MESSAGE("skipped: the lab has no " << name);
  return std::nullopt;
}

} // namespace hostpin::test
