// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/toolkit/discovery.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;
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
