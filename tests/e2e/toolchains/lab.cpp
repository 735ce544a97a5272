// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/e2e/toolchains/lab.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"

#include <algorithm>
#include <cstdlib>

namespace hostpin {

namespace {

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

/// The version after the `V` of `release 12.4, V12.4.131`.
std::optional<Version> nvcc_version(const std::string& nvcc) {
  Command command;
  command.argv = {nvcc, "--version"};
  const Outcome outcome = HostProcesses().run({&command, 1}).at(0);
  const std::size_t at = outcome.output.find(", V");
  if (!outcome.ok() || at == std::string::npos)
    return std::nullopt;
  return parse_version(outcome.output.substr(at + 3, outcome.output.find_first_of(" \n", at + 3) - at - 3));
}

void add_toolkit(const std::string& root, std::vector<Toolkit>& toolkits) {
  const DiskFiles disk;
  Toolkit toolkit;
  toolkit.root = root;
  toolkit.nvcc = root + "/bin/nvcc";
  toolkit.host_config = root + "/include/crt/host_config.h";
  toolkit.include_directories = {root + "/include"};
  if (!disk.status(toolkit.nvcc) || !disk.status(toolkit.host_config))
    return;
  if (const auto version = nvcc_version(toolkit.nvcc)) {
    toolkit.version = *version;
    toolkits.push_back(toolkit);
  }
}

} // namespace

std::optional<Lab> find_lab(std::string& missing) {
  const char* const named = std::getenv("HOSTPIN_LAB");
  const char* const home = std::getenv("HOME");
  const std::string root = named != nullptr && *named != '\0'
                               ? named
                               : std::string(home != nullptr ? home : "") + "/.cache/hostpin/lab";
  const DiskFiles disk;
  Lab found;
  for (const std::string& name : disk.entries(root + "/bin"))
    if (starts_with(name, "g++-") || starts_with(name, "clang++-"))
      found.drivers.push_back(root + "/bin/" + name);
  for (const std::string& name : disk.entries(root))
    if (starts_with(name, "cuda-"))
      add_toolkit(root + '/' + name, found.toolkits);
  for (const std::string& release : disk.entries(root + "/wheels"))
    add_toolkit(root + "/wheels/" + release + "/lib/python3/site-packages/nvidia/cu13", found.toolkits);
  if (found.drivers.empty() || found.toolkits.empty()) {
    missing = "no compilers and toolkits in " + root;
    return std::nullopt;
  }
  const auto usual = disk.real_path("/usr/local/cuda"); // may stand in for the lab's
  if (std::ranges::none_of(found.toolkits,
                           [&](const Toolkit& each) { return disk.real_path(each.root) == usual; }))
    add_toolkit("/usr/local/cuda", found.toolkits);
  std::ranges::stable_sort(found.toolkits, {}, &Toolkit::version);
  return found;
}

const Lab& lab() {
  static std::string missing;
  static const Lab found = find_lab(missing).value_or(Lab{});
  return found;
}

bool full_form() {
  const char* const full = std::getenv("HOSTPIN_FULL");
  return full != nullptr && std::string(full) == "1";
}

} // namespace hostpin
