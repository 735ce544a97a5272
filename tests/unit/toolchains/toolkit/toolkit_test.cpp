// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;
using hostpin::test::FakeProcesses;

using Strings = std::vector<std::string>;

namespace {

/// A toolkit with all that its description needs, in NVIDIA's layout.
void install(FakeFiles& files, FakeProcesses& processes, const std::string& root,
             const std::string& version) {
  const std::string nvcc = root + "/bin/nvcc";
  files.program(nvcc).file(root + "/bin/nvcc.profile").file(root + "/include/crt/host_config.h");
  processes.answer(nvcc + " --version", "Cuda compilation tools, release x, V" + version + "\n");
  processes.answer(
      nvcc + " -v __hostpin_probe", "",
      "#$ _HERE_=" + root + "/bin\n#$ TOP=" + root + "/bin/..\n#$ INCLUDES=\"-I" + root + "/include\"\n", 1);
}

ToolkitSearch search(const FakeFiles& files, Environment::Variables variables,
                     const std::optional<NamedToolkit>& named = std::nullopt,
                     const Strings& configured = {}) {
  return find_toolkits(files, Environment(std::move(variables)), named, configured, own_programs(files));
}

Strings lines(const ToolkitSearch& found) {
  Strings result;
  for (const ToolkitCandidate& one : found.candidates)
    result.push_back(one.origin + ": " + one.nvcc);
  return result;
}

} // namespace

TEST_CASE("toolkits are found in the order of precedence") {
  FakeFiles files;
  for (const char* name : {"named", "configured", "root", "home", "path", "onpath"})
    files.program(std::string("/tk/") + name + "/bin/nvcc");
  files.program("/usr/local/cuda/bin/nvcc")
      .program("/usr/local/cuda-9.2/bin/nvcc")
      .program("/usr/local/cuda-12.4/bin/nvcc");
  const Environment::Variables variables{{"CUDAToolkit_ROOT", "/tk/root"},
                                         {"CUDA_HOME", "/tk/home/"},
                                         {"CUDA_PATH", "/tk/path"},
                                         {"PATH", "/bin:/tk/onpath/bin:/tk/home/bin"}};
  CHECK(
      lines(search(files, variables, NamedToolkit{"/tk/named/bin/nvcc", "--toolkit"}, {"/tk/configured"})) ==
      Strings{"--toolkit: /tk/named/bin/nvcc", "configuration: /tk/configured/bin/nvcc",
              "$CUDAToolkit_ROOT: /tk/root/bin/nvcc", "$CUDA_HOME: /tk/home/bin/nvcc",
              "$CUDA_PATH: /tk/path/bin/nvcc", "PATH: /tk/onpath/bin/nvcc",
              "/usr/local: /usr/local/cuda/bin/nvcc", "/usr/local: /usr/local/cuda-12.4/bin/nvcc",
              "/usr/local: /usr/local/cuda-9.2/bin/nvcc"});
}

TEST_CASE("the layouts of packages are found") {
  struct Row {
    const char* nvcc;
    const char* origin;
  };
  const Row rows[] = {{"/usr/lib/nvidia-cuda-toolkit/bin/nvcc", "distribution package"},
                      {"/opt/cuda/bin/nvcc", "/opt"},
                      {"/conda/bin/nvcc", "conda"},
                      {"/venv/lib/python3.11/site-packages/nvidia/cu13/bin/nvcc", "pip"},
                      {"/venv/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/nvcc", "pip"},
                      {"/conda/lib/python3.12/site-packages/nvidia/cu13/bin/nvcc", "pip"},
                      {"/home/.local/lib/python3.12/site-packages/nvidia/cu13/bin/nvcc", "pip"},
                      {"/usr/local/lib/python3.12/dist-packages/nvidia/cu13/bin/nvcc", "pip"},
                      {"/opt/nvidia/hpc_sdk/Linux_x86_64/24.3/cuda/12.3/bin/nvcc", "HPC SDK"}};
  for (const Row& row : rows) {
    CAPTURE(row.nvcc);
    FakeFiles files;
    files.program(row.nvcc);
    CHECK(lines(search(files, {{"CONDA_PREFIX", "/conda"}, {"HOME", "/home"}, {"VIRTUAL_ENV", "/venv"}})) ==
          Strings{std::string(row.origin) + ": " + row.nvcc});
  }
}

TEST_CASE("hostpin's nvcc is never a candidate, and naming it is reported as a mistake") {
  FakeFiles files;
  files.program("/hp/libexec/hostpin/nvcc")
      .program("/bound/nvcc")
      .file("/bound/plan")
      .file("/bound/binding.toml");
  const ToolkitSearch found =
      search(files, {{"PATH", "/bound:/hp/libexec/hostpin"}, {"CUDA_HOME", "/bound"}});
  CHECK(found.candidates.empty());
  REQUIRE(found.rejected.size() == 1);
  CHECK(found.rejected[0].origin == "$CUDA_HOME");
  CHECK(found.rejected[0].reason == "is hostpin's own nvcc");
}

TEST_CASE("a toolkit view leads to its toolkit") {
  FakeFiles files;
  files.program("/tk/bin/nvcc")
      .program("/view/hostpin/nvcc")
      .file("/view/hostpin/plan")
      .file("/view/hostpin/binding.toml");
  files.link("/view/bin/nvcc", "/view/hostpin/nvcc").link("/view/hostpin/toolkit", "/tk/bin");
  CHECK(lines(search(files, {{"CUDA_HOME", "/view"}, {"PATH", "/view/bin:/tk/bin"}})) ==
        Strings{"$CUDA_HOME: /tk/bin/nvcc"});
  files.link("/view/hostpin/toolkit", "/gone/bin");
  const ToolkitSearch found = search(files, {{"CUDA_HOME", "/view"}, {"PATH", "/view/bin"}});
  CHECK(found.candidates.empty());
  CHECK(found.rejected.size() == 1);
}

TEST_CASE("the toolkit tree of a bound directory leads to its toolkit") {
  FakeFiles files;
  files.program("/tk/bin/nvcc").program("/bound/nvcc").file("/bound/plan").file("/bound/binding.toml");
  files.link("/bound/cuda/bin/nvcc", "/bound/nvcc").link("/bound/cuda/hostpin/toolkit", "/tk/bin");
  CHECK(lines(search(files, {{"CUDA_HOME", "/bound/cuda"}})) == Strings{"$CUDA_HOME: /tk/bin/nvcc"});
}

TEST_CASE("a lone link into a toolkit is followed, a whole tree of links is not") {
  FakeFiles files;
  files.program("/tk/bin/nvcc").file("/tk/bin/nvcc.profile").link("/links/nvcc", "/tk/bin/nvcc");
  files.link("/farm/bin/nvcc", "/tk/bin/nvcc").link("/farm/bin/nvcc.profile", "/tk/bin/nvcc.profile");
  CHECK(lines(search(files, {{"PATH", "/links:/farm/bin"}})) ==
        Strings{"PATH: /tk/bin/nvcc", "PATH: /farm/bin/nvcc"});
}

TEST_CASE("what was named and does not exist is listed with the reason") {
  FakeFiles files;
  files.file("/tk/bin/nvcc").file("/text").program("/here/rel/bin/nvcc");
  const ToolkitSearch found = search(files, {{"CUDA_HOME", "/missing"}, {"CUDA_PATH", "rel"}},
                                     NamedToolkit{"rel", "--toolkit"}, {"/tk", "/text"});
  CHECK(lines(found) == Strings{"--toolkit: /here/rel/bin/nvcc"});
  Strings reasons;
  for (const ToolkitRejection& rejection : found.rejected)
    reasons.push_back(rejection.path + ' ' + rejection.reason);
  CHECK(reasons == Strings{"/tk has no bin/nvcc", "/text is not an executable file",
                           "/missing does not exist", "rel is not an absolute path"});
}

TEST_CASE("a toolkit for Windows is rejected as such") {
  FakeFiles files;
  files.file("/win/bin/nvcc.exe");
  const ToolkitSearch found = search(files, {}, NamedToolkit{"/win", "--toolkit"});
  CHECK(found.candidates.empty());
  REQUIRE(found.rejected.size() == 1);
  CHECK(found.rejected[0].reason.find("is a toolkit for Windows") == 0);
}

TEST_CASE("what was looked into is told, also where there is nothing yet") {
  const ToolkitSearch found = search(FakeFiles(), {{"PATH", "/usr/bin"}});
  for (const char* directory : {"/usr/bin", "/usr/local", "/usr/local/cuda/bin", "/opt/nvidia/hpc_sdk"}) {
    CAPTURE(directory);
    CHECK(std::count(found.looked.begin(), found.looked.end(), directory) == 1);
  }
}

TEST_CASE("all toolkits are asked in two rounds, broken ones are kept with the reason, and one real nvcc "
          "counts once") {
  FakeFiles files;
  FakeProcesses processes;
  install(files, processes, "/tk/a", "12.4.131");
  install(files, processes, "/tk/b", "13.0.88");
  files.program("/broken/bin/nvcc").program("/script/nvcc");
  processes.answer("/script/nvcc --version", "release x, V12.4.131\n");
  processes.answer("/script/nvcc -v __hostpin_probe", "",
                   "#$ _HERE_=/tk/a/bin\n#$ INCLUDES=-I/tk/a/include\n", 1);
  const ToolkitSurvey survey =
      probe_toolkits(files, processes,
                     search(files, {{"CUDA_HOME", "/broken"}, {"PATH", "/tk/a/bin:/script:/tk/b/bin"}}), "");
  CHECK(processes.rounds == 2);
  REQUIRE(survey.toolkits.size() == 2);
  CHECK(survey.toolkits[0].version == Version{12, 4, 131});
  CHECK(survey.toolkits[1].version == Version{13, 0, 88});
  REQUIRE(survey.rejected.size() == 1);
  CHECK(survey.rejected[0].reason == "did not report its version: No such file or directory");
  CHECK(chosen_toolkit(survey, std::nullopt)->root == "/tk/a");
}

TEST_CASE("one directory with two names is probed once") {
  FakeFiles files;
  FakeProcesses processes;
  install(files, processes, "/tk/a-1", "12.4.131");
  files.link("/tk/a", "/tk/a-1");
  const ToolkitSearch found = search(files, {{"CUDA_HOME", "/tk/a-1"}, {"CUDA_PATH", "/tk/a"}});
  CHECK(found.candidates.size() == 2);
  // The second name has no prepared answer: it would be rejected if it were probed.
  const ToolkitSurvey survey = probe_toolkits(files, processes, found, "");
  CHECK(survey.toolkits.size() == 1);
  CHECK(survey.rejected.empty());
}

TEST_CASE("a named toolkit that cannot be used is an error, not a silent second choice") {
  FakeFiles files;
  FakeProcesses processes;
  install(files, processes, "/tk/a", "12.4.131");
  const NamedToolkit named{"/missing", "--toolkit"};
  const ToolkitSurvey survey =
      probe_toolkits(files, processes, search(files, {{"PATH", "/tk/a/bin"}}, named), "");
  CHECK(survey.toolkits.size() == 1);
  const auto chosen = chosen_toolkit(survey, named);
  REQUIRE_FALSE(chosen);
  CHECK(chosen.error().message == "--toolkit names '/missing', which is not a usable CUDA toolkit\n  "
                                  "/missing (--toolkit) does not exist");
  CHECK_FALSE(chosen.error().hint.empty());
}

TEST_CASE("a release names the first toolkit of those that are found") {
  FakeFiles files;
  FakeProcesses processes;
  install(files, processes, "/tk/a", "13.0.88");
  install(files, processes, "/tk/b", "12.4.131");
  const auto chosen = [&](const std::string& name) {
    const NamedToolkit named = named_toolkit(files, name, "--toolkit");
    CHECK(named.is_release);
    return chosen_toolkit(
        probe_toolkits(files, processes, search(files, {{"PATH", "/tk/a/bin:/tk/b/bin"}}, named), ""), named);
  };
  for (const char* name : {"12.4", "12", "12.4.131"}) {
    CAPTURE(name);
    const auto toolkit = chosen(name);
    REQUIRE(toolkit);
    CHECK(toolkit->root == "/tk/b");
    CHECK(toolkit->origin == "--toolkit");
  }
  const auto absent = chosen("12.40");
  REQUIRE_FALSE(absent);
  CHECK(absent.error().message == "--toolkit names CUDA 12.40, which was not found; found:\n"
                                  "  CUDA 13.0.88  /tk/a (PATH)\n  CUDA 12.4.131  /tk/b (PATH)");
  CHECK_FALSE(chosen("1"));
  for (const char* name : {"", "cuda-12.4", "/12.4", "12.4/", "."})
    CHECK_FALSE(named_toolkit(files, name, "--toolkit").is_release);
}

TEST_CASE("variables that lead nowhere are reported if they would have decided") {
  FakeFiles files;
  FakeProcesses processes;
  install(files, processes, "/tk/a", "12.4.131");
  const auto ignored = [&](const Environment::Variables& variables,
                           const std::optional<NamedToolkit>& named = {}) {
    const ToolkitSurvey survey = probe_toolkits(files, processes, search(files, variables, named), "");
    return ignored_variables(survey, survey.toolkits.front());
  };
  CHECK(ignored({{"CUDA_HOME", "../a"}, {"PATH", "/tk/a/bin"}}) ==
        Strings{"$CUDA_HOME is ignored: ../a is not an absolute path; CUDA 12.4.131 is used instead, "
                "found by PATH: /tk/a"});
  CHECK(ignored({{"CUDAToolkit_ROOT", "/gone"}, {"CUDA_HOME", "/tk/a"}, {"CUDA_PATH", "/gone"}}).size() == 1);
  CHECK(ignored({{"CUDA_HOME", "/tk/a"}, {"CUDA_PATH", "/gone"}}).empty());
  CHECK(ignored({{"CUDA_HOME", "/gone"}}, NamedToolkit{"/tk/a", "--toolkit"}).empty());
}

TEST_CASE("no toolkit at all is an error that lists what was rejected") {
  FakeFiles files;
  files.program("/tk/bin/nvcc");
  const auto chosen = chosen_toolkit(
      probe_toolkits(files, FakeProcesses(), search(files, {{"CUDA_HOME", "/tk"}}), ""), std::nullopt);
  REQUIRE_FALSE(chosen);
  CHECK(chosen.error().message.starts_with("no CUDA toolkit was found\n  /tk/bin/nvcc ($CUDA_HOME) "));
}

TEST_CASE("nvcc is run with a host compiler that is known to work, because there may be no gcc on PATH") {
  FakeFiles files;
  FakeProcesses processes;
  files.program("/tk/bin/nvcc").file("/tk/bin/nvcc.profile").file("/tk/include/crt/host_config.h");
  processes.answer("/tk/bin/nvcc --version", "release x, V12.4.131\n");
  processes.answer("/tk/bin/nvcc -v __hostpin_probe -ccbin /opt/g++-13", "",
                   "#$ _HERE_=/tk/bin\n#$ TOP=/tk/bin/..\n#$ INCLUDES=-I/tk/include\n", 1);
  const ToolkitSearch found = search(files, {{"CUDA_HOME", "/tk"}});
  CHECK(probe_toolkits(files, processes, found, "/opt/g++-13").toolkits.size() == 1);
  CHECK(probe_toolkits(files, processes, found, "").toolkits.empty());
}

using Strings = std::vector<std::string>;

namespace {

Outcome exited(int code, std::string output, std::string errors = {}) {
  Outcome outcome;
  outcome.end = Outcome::End::exited;
  outcome.code = code;
  outcome.output = std::move(output);
  outcome.errors = std::move(errors);
  return outcome;
}

Outcome version(const std::string& release = "release 12.4, V12.4.131") {
  return exited(0, "nvcc: NVIDIA (R) Cuda compiler driver\nBuilt on Thu_Mar_28\nCuda compilation tools, " +
                       release + "\nBuild cuda_12.4.r12.4/compiler.34097967_0\n");
}

Outcome settings(const std::string& lines) {
  return exited(1, "", lines + "nvcc fatal   : Don't know what to do with '__hostpin_probe'\n");
}

const std::string nvidia =
    "#$ _SPACE_= \n#$ _HERE_=/usr/local/cuda/bin\n#$ _TARGET_DIR_=\n"
    "#$ _TARGET_DIR_=targets/x86_64-linux\n#$ TOP=/usr/local/cuda/bin/..\n"
    "#$ INCLUDES=\"-I/usr/local/cuda/bin/../targets/x86_64-linux/include\"  \n"
    "#$ SYSTEM_INCLUDES=\"-isystem\" \"/usr/local/cuda/bin/../targets/x86_64-linux/include/cccl\"  \n";

FakeFiles machine() {
  FakeFiles files;
  files.link("/usr/local/cuda", "/usr/local/cuda-12.4").program("/usr/local/cuda-12.4/bin/nvcc");
  files.file("/usr/local/cuda-12.4/bin/nvcc.profile", "TOP = $(_HERE_)/..\n");
  files.file("/usr/local/cuda-12.4/targets/x86_64-linux/include/crt/host_config.h");
  files.file("/usr/local/cuda-12.4/targets/x86_64-linux/include/cccl/cub/cub.cuh");
  return files;
}

const ToolkitCandidate candidate{"/usr/local/cuda/bin/nvcc", "PATH"};

std::string refusal(const Files& files, const Outcome& first, const Outcome& second) {
  const auto toolkit = read_toolkit(files, candidate, first, second);
  return toolkit ? "not refused" : toolkit.error().message;
}

} // namespace

TEST_CASE("NVIDIA's layout is described") {
  const FakeFiles files = machine();
  const auto toolkit = read_toolkit(files, candidate, version(), settings(nvidia));
  REQUIRE(toolkit);
  CHECK(toolkit->root == "/usr/local/cuda-12.4");
  CHECK(toolkit->nvcc == "/usr/local/cuda/bin/nvcc");
  CHECK(toolkit->version == Version{12, 4, 131});
  CHECK(toolkit->origin == "PATH");
  CHECK(toolkit->host_config == "/usr/local/cuda-12.4/targets/x86_64-linux/include/crt/host_config.h");
  CHECK(toolkit->include_directories == Strings{"/usr/local/cuda-12.4/targets/x86_64-linux/include",
                                                "/usr/local/cuda-12.4/targets/x86_64-linux/include/cccl"});
  CHECK(toolkit->profile_host.empty());
  CHECK(toolkit->files == Strings{"/usr/local/cuda/bin/nvcc", "/usr/local/cuda/bin/nvcc.profile",
                                  "/usr/local/cuda-12.4/targets/x86_64-linux/include/crt/host_config.h"});
}

TEST_CASE("Debian's split layout is described: a script in front, no TOP, headers in /usr/include") {
  FakeFiles files;
  files.program("/usr/bin/nvcc").program("/usr/lib/nvidia-cuda-toolkit/bin/nvcc");
  files.file("/etc/nvcc.profile", "#INCLUDES +=\nLIBRARIES =+ -L/usr/lib\n");
  files.link("/usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile", "/etc/nvcc.profile");
  files.file("/usr/include/crt/host_config.h");
  const auto toolkit = read_toolkit(files, {"/usr/bin/nvcc", "PATH"}, version("release 11.8, V11.8.89"),
                                    settings("#$ _HERE_=/usr/lib/nvidia-cuda-toolkit/bin\n"));
  REQUIRE(toolkit);
  CHECK(toolkit->root == "/usr/lib/nvidia-cuda-toolkit");
  CHECK(toolkit->nvcc == "/usr/lib/nvidia-cuda-toolkit/bin/nvcc");
  CHECK(toolkit->host_config == "/usr/include/crt/host_config.h");
  CHECK(toolkit->include_directories.empty());
  CHECK(toolkit->files.front() == "/usr/bin/nvcc");
  CHECK(toolkit->files.size() == 4);
}

TEST_CASE("a host compiler in nvcc.profile is found, with nvcc's own variables in it") {
  struct Row {
    const char* line;
    const char* host;
  };
  const Row rows[] = {{"compiler-bindir = /nix/store/x-gcc-12/bin", "/nix/store/x-gcc-12/bin"},
                      {"compiler-bindir=\"/usr/bin/g++-12\"", "/usr/bin/g++-12"},
                      {"  compiler-bindir ?= $(_HERE_)/host/$(_TARGET_DIR_)",
                       "/usr/local/cuda/bin/host/targets/x86_64-linux"},
                      {"#compiler-bindir = /usr/bin/g++-12", ""},
                      {"compiler-bindir-else = /usr/bin", ""},
                      {"PATH += compiler-bindir", ""},
                      {"compiler-bindir = $(open", "$(open"},
                      {"compiler-bindir", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.line);
    FakeFiles files = machine();
    files.file("/usr/local/cuda-12.4/bin/nvcc.profile",
               std::string("TOP = $(_HERE_)/..\n") + row.line + "\r\nX = y\n");
    CHECK(read_toolkit(files, candidate, version(), settings(nvidia))->profile_host == row.host);
  }
}

TEST_CASE("include directories with spaces are read") {
  FakeFiles files = machine();
  files.file("/opt/my cuda/include/crt/host_config.h");
  const auto toolkit = read_toolkit(files, candidate, version(),
                                    settings(nvidia + "#$ INCLUDES=\"-I/opt/my cuda/include\" -I/b\n"));
  REQUIRE(toolkit);
  CHECK(toolkit->host_config == "/opt/my cuda/include/crt/host_config.h");
}

TEST_CASE("an nvcc that does not answer properly is refused with the reason") {
  const FakeFiles files = machine();
  Outcome hung;
  hung.end = Outcome::End::timed_out;
  hung.code = 5000;
  CHECK(refusal(files, hung, settings(nvidia)) == "did not report its version: did not answer within 5 s");
  CHECK(refusal(files, exited(1, ""), settings(nvidia)) == "did not report its version: exited with 1");
  for (const char* release : {"", "release 12.4", "release 12.4, Vnext", "release 12.4, V12.4.131.9",
                              "V12.4.131", "release 12.4, V99999999.1"}) {
    CAPTURE(release);
    CHECK(refusal(files, version(release), settings(nvidia)) == "did not report its version");
  }
  for (const char* lines : {"", "#$ _HERE_\n", "#$ _HERE_=(null)\n", "_HERE_=/usr/local/cuda/bin\n"}) {
    CAPTURE(lines);
    CHECK(refusal(files, version(), settings(lines)) ==
          "did not report where it is installed: exited with 1");
  }
  const std::string no_room = "nvcc fatal   : Could not open output file '/tmp/tmpxft_1'";
  CHECK(refusal(files, version(), exited(1, "", no_room + '\n')) ==
        "did not report where it is installed: exited with 1: " + no_room);
  const std::string by_compiler =
      "<built-in>: fatal error: when writing output to /tmp/x: No space left on device";
  CHECK(refusal(files, version(),
                exited(1, "",
                       by_compiler + "\nnvcc fatal   : Failed to preprocess host compiler properties.\n")) ==
        "did not report where it is installed: exited with 1: " + by_compiler);
  CHECK(refusal(files, version(), settings("#$ _HERE_=/elsewhere\n")) ==
        "reports its path as /elsewhere/nvcc, which is not an executable file");
  FakeFiles incomplete;
  incomplete.program("/usr/local/cuda/bin/nvcc");
  CHECK(refusal(incomplete, version(), settings(nvidia)) ==
        "is incomplete: crt/host_config.h is in none of its include directories");
}
