// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/e2e/discovery/real.hpp"
#include "toolchains/toolkit/toolkit.hpp"

using namespace hostpin;
using namespace hostpin::test;

namespace {

ToolkitSurvey survey(Environment::Variables variables,
                     const std::optional<NamedToolkit>& named = std::nullopt) {
  const DiskFiles files;
  return probe_toolkits(
      files, HostProcesses(),
      find_toolkits(files, Environment(std::move(variables)), named, {}, own_programs(files)), "");
}

} // namespace

TEST_CASE("every toolkit of the lab describes itself") {
  for (const Toolkit& known : lab().toolkits) {
    CAPTURE(known.root);
    const NamedToolkit named{known.root, "--toolkit"};
    const auto found = chosen_toolkit(survey({}, named), named);
    REQUIRE(found);
    CHECK(found->version == known.version);
    CHECK(found->origin == "--toolkit");
    CHECK(found->root == DiskFiles().real_path(known.root));
    CHECK(found->nvcc == known.nvcc);
    CHECK(DiskFiles().real_path(found->host_config) == DiskFiles().real_path(known.host_config));
    CHECK_FALSE(found->include_directories.empty());
    CHECK(found->files.size() >= 3);
  }
}

TEST_CASE("a script, a lone link and a linked directory lead to the real nvcc") {
  const Scratch scratch;
  const Toolkit& known = lab().toolkits.front();
  std::filesystem::create_directories(scratch.path("script"));
  scratch.script("script/nvcc", "exec " + known.nvcc + " \"$@\"");
  std::filesystem::create_directories(scratch.path("link"));
  std::filesystem::create_symlink(known.nvcc, scratch.path("link/nvcc"));
  std::filesystem::create_directory_symlink(known.root, scratch.path("tree"));
  for (const char* const directory : {"/script", "/link", "/tree/bin"}) {
    CAPTURE(directory);
    const ToolkitSurvey found = survey({{"PATH", scratch.root() + directory}});
    REQUIRE_FALSE(found.toolkits.empty());
    CHECK(found.toolkits.front().origin == "PATH");
    CHECK(found.toolkits.front().version == known.version);
    CHECK(found.toolkits.front().root == DiskFiles().real_path(known.root));
    const std::string& nvcc = found.toolkits.front().nvcc;
    CHECK(DiskFiles().real_path(nvcc) == DiskFiles().real_path(known.nvcc));
  }
}

TEST_CASE("variables of an outer nvcc do not change the answer") {
  const Toolkit& known = lab().toolkits.front();
  const NamedToolkit named{known.root, "--toolkit"};
  const auto before = chosen_toolkit(survey({}, named), named);
  for (const char* const name : {"INCLUDES", "SYSTEM_INCLUDES", "LIBRARIES"})
    ::setenv(name, "-I/outer/include", 1);
  ::setenv("NVCC_APPEND_FLAGS", "-nonsense", 1);
  const auto after = chosen_toolkit(survey({}, named), named);
  for (const char* const name : {"INCLUDES", "SYSTEM_INCLUDES", "LIBRARIES", "NVCC_APPEND_FLAGS"})
    ::unsetenv(name);
  REQUIRE(before);
  REQUIRE(after);
  CHECK(after->include_directories == before->include_directories);
}

TEST_CASE("a broken toolkit is rejected with the reason, and the next one is used") {
  const Scratch scratch;
  const Toolkit& known = lab().toolkits.front();
  std::filesystem::create_directories(scratch.path("bin"));
  scratch.script("bin/nvcc", "exit 3");
  const ToolkitSurvey found = survey({{"CUDA_HOME", scratch.root()}, {"PATH", known.root + "/bin"}});
  REQUIRE_FALSE(found.toolkits.empty());
  CHECK(found.toolkits.front().version == known.version);
  REQUIRE_FALSE(found.rejected.empty());
  CHECK(found.rejected.front().path == scratch.path("bin/nvcc"));
  CHECK(found.rejected.front().origin == "$CUDA_HOME");
  CHECK(found.rejected.front().reason == "did not report its version: exited with 3");
}
