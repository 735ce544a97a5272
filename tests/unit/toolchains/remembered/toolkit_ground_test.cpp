// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "toolchains/remembered/toolkit_ground.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

/// A substitute for nvcc, any program of this machine, with a profile next to it.
struct Tree {
  Tree() {
    fs::create_directories(root + "/bin");
    fs::copy_file("/bin/true", nvcc);
    write("/bin/nvcc.profile", "TOP = $(_HERE_)/..\nLIBRARIES =+ \"-L$(ELSEWHERE)/lib\"\n", false);
  }
  void write(const std::string& name, const std::string& text, bool executable) const {
    std::ofstream(root + name) << text;
    if (executable)
      fs::permissions(root + name, fs::perms::owner_all);
  }
  std::optional<Ground> ground(const std::string& program) const {
    Outcome outcome;
    outcome.end = Outcome::End::exited;
    const DiskFiles files;
    const HostProcesses processes;
    const Environment environment;
    const LoadedFiles loaded(environment, files, processes);
    return toolkit_ground({{program, "--version"}, "", {}}, outcome, files, loaded);
  }

  Result<ScratchDirectory> scratch = ScratchDirectory::make(Environment());
  std::string root = scratch.value().path();
  std::string nvcc = root + "/bin/nvcc";
};

bool has(const Ground& ground, const std::string& path) {
  return std::find(ground.begin(), ground.end(), path) != ground.end();
}

} // namespace

TEST_CASE("an nvcc's dependencies are itself, its profile, and its libraries") {
  const Tree tree;
  const auto ground = tree.ground(tree.nvcc);
  REQUIRE(ground);
  CHECK(has(*ground, tree.nvcc));
  CHECK(has(*ground, tree.root + "/bin/nvcc.profile"));
  CHECK(std::any_of(ground->begin(), ground->end(),
                    [](const std::string& path) { return path.find("/libc.so") != std::string::npos; }));
}

TEST_CASE("a script that only passes its call on is followed, any other is not") {
  const Tree tree;
  tree.write("/plain", "#!/bin/sh\nexec " + tree.nvcc + " \"$@\"\n", true);
  tree.write("/adding", "#!/bin/sh\nexec " + tree.nvcc + " -O3 \"$@\"\n", true);
  tree.write("/choosing", "#!/bin/sh\ntest -e /x || exec " + tree.nvcc + " \"$@\"\n", true);
  const auto ground = tree.ground(tree.root + "/plain");
  REQUIRE(ground);
  CHECK(has(*ground, tree.root + "/plain"));
  CHECK(has(*ground, tree.nvcc));
  CHECK_FALSE(tree.ground(tree.root + "/adding"));
  CHECK_FALSE(tree.ground(tree.root + "/choosing"));
  CHECK_FALSE(tree.ground(tree.root + "/nothing"));
}

TEST_CASE("a variable counts if the profile names it or it is one of nvcc's, and it is not hidden") {
  const Tree tree;
  const Environment environment(Environment::Variables{
      {"ELSEWHERE", "/opt"}, {"EDITOR", "vi"}, {"NVCC_CCBIN", "g++"}, {"NVVMIR_LIBRARY_DIR", "/x"}});
  const Command command{{tree.nvcc, "--version"}, "", {"NVCC_CCBIN"}};
  CHECK(toolkit_variables(command, environment, DiskFiles()) ==
        Strings{"ELSEWHERE=/opt", "NVVMIR_LIBRARY_DIR=/x"});
}
