// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/toolkit/target.hpp"

#include <cstddef>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;
using hostpin::test::FakeProcesses;

namespace {

const Platform sbsa{"linux-sbsa", "sbsa-linux", "aarch64-linux-gnu",     {}, {}, "aarch64", "tar", false,
                    {},           {},           "cuda-cross-sbsa-{cuda}"};
const Platform jetson{
    "linux-aarch64", "aarch64-linux", "aarch64-linux-gnu", {}, {}, "aarch64", "tar", true, "12.9", {}, {}};

ForeignTarget aarch64(std::vector<const Platform*> wanted = {&sbsa, &jetson}) {
  return {"aarch64-linux-gnu", std::move(wanted), {&sbsa, &jetson}, "linux-x86_64"};
}

/// The header of a 64-bit little-endian shared library of that machine.
std::string library(unsigned char machine) {
  std::string bytes(64, '\0');
  bytes.replace(0, 7, "\177ELF\2\1\1");
  bytes[16] = 3;
  bytes[18] = static_cast<char>(machine);
  bytes[20] = 1;
  return bytes;
}
constexpr unsigned char x86_64 = 62, arm = 183;

struct Installed {
  FakeFiles files;
  FakeProcesses processes;
  Toolkit toolkit;

  explicit Installed(Version version = {12, 4, 131}) {
    toolkit.root = "/tk";
    toolkit.nvcc = "/tk/bin/nvcc";
    toolkit.version = version;
    files.program(toolkit.nvcc);
  }

  /// `directory`: below the root; nvcc's answer with that option.
  void add(const std::string& directory, const std::string& option, unsigned char machine) {
    files.file(directory + "/include/crt/host_config.h")
        .file(directory + "/lib/libcudart.so", library(machine));
    processes.answer("/tk/bin/nvcc -v __hostpin_probe -ccbin /cc" + option, "",
                     "#$ INCLUDES=\"-I" + directory + "/include\"\n#$ LIBRARIES=  \"-L" + directory +
                         "/lib/stubs\" \"-L" + directory + "/lib\"\n",
                     1);
  }

  Result<Toolkit> made_for(const ForeignTarget& target) const {
    return toolkit_for(toolkit, target, files, processes, "/cc");
  }
};

} // namespace

TEST_CASE("the directory of the preferred platform is used, and proven by the runtime library") {
  Installed tk;
  tk.add("/tk/targets/sbsa-linux", " -target-dir sbsa-linux", arm);
  tk.add("/tk/targets/aarch64-linux", " -target-dir aarch64-linux", arm);
  const auto made = tk.made_for(aarch64());
  REQUIRE(made);
  REQUIRE(made->target);
  CHECK(made->target->name == "sbsa-linux");
  CHECK(made->target->platform == "linux-sbsa");
  CHECK(made->target->alternatives == std::vector<std::string>{"linux-aarch64"});
  CHECK(made->host_config == "/tk/targets/sbsa-linux/include/crt/host_config.h");
  CHECK(rpath_links(*made->target) == std::vector<std::string>{"-Wl,-rpath-link,/tk/targets/sbsa-linux/lib"});
  const auto named = tk.made_for(aarch64({&jetson}));
  REQUIRE(named);
  CHECK(named->target->name == "aarch64-linux");
  CHECK(named->target->alternatives.empty());
}

TEST_CASE("a toolkit without the target is refused with what it has and how to get it") {
  Installed tk;
  tk.add("/tk/targets/x86_64-linux", "", x86_64);
  const auto made = tk.made_for(aarch64());
  REQUIRE_FALSE(made);
  CHECK(made.error().message ==
        "CUDA 12.4.131 in /tk has no headers and libraries for aarch64-linux-gnu, only targets/x86_64-linux");
  CHECK(made.error().hint.find("hostpin redist compose --target linux-sbsa") != std::string::npos);
  CHECK(made.error().hint.find("cuda-cross-sbsa-12-4") != std::string::npos);
}

TEST_CASE("a directory whose libraries are another machine's is refused") {
  Installed tk;
  tk.add("/tk/targets/sbsa-linux", " -target-dir sbsa-linux", x86_64);
  const auto made = tk.made_for(aarch64());
  REQUIRE_FALSE(made);
  CHECK(made.error().message ==
        "/tk/targets/sbsa-linux/lib/libcudart.so is a library for x86-64, not for aarch64 as the name of "
        "/tk/targets/sbsa-linux says");
}

TEST_CASE("a toolkit without target directories is used if it is made for the target as a whole") {
  Installed whole;
  whole.add("/tk", "", arm);
  const auto made = whole.made_for(aarch64());
  REQUIRE(made);
  CHECK(made->target->name.empty());
  CHECK(made->target->directory == "/tk");
  Installed native;
  native.add("/tk", "", x86_64);
  CHECK_FALSE(native.made_for(aarch64()));
}

TEST_CASE("a platform that ended is not looked for in later releases") {
  Installed tk({13, 0, 88});
  tk.add("/tk/targets/aarch64-linux", " -target-dir aarch64-linux", arm);
  const auto made = tk.made_for(aarch64({&jetson}));
  REQUIRE_FALSE(made);
  CHECK(made.error().message.find("CUDA 12.9 is the last release with linux-aarch64") != std::string::npos);
}
