// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  return {"Cuda compilation tools, release 12.4, V12.4.131\n\1#$ _HERE_=/tk/bin\n#$ TOP=/tk/bin/..\n"
          "#$ INCLUDES=\"-I/tk/include\" \n#$ SYSTEM_INCLUDES=\"-isystem\" \"/tk/include/cccl\" \n"
          "\1TOP = $(_HERE_)/..\ncompiler-bindir ?= \"$(TOP)/host\"\n"};
}

/// The input is the answer to --version, that to the dry call and nvcc.profile, split at the byte 1.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t first = std::min(text.find('\1'), size);
  const std::size_t second = std::min(text.find('\1', std::min(first + 1, size)), size);
  Outcome version;
  version.end = Outcome::End::exited;
  version.output = text.substr(0, first);
  Outcome verbose;
  verbose.end = Outcome::End::exited;
  verbose.code = 1;
  verbose.errors = text.substr(std::min(first + 1, size), second - std::min(first + 1, second));
  test::FakeFiles files;
  files.program("/tk/bin/nvcc").file("/tk/include/crt/host_config.h");
  files.file("/tk/bin/nvcc.profile", text.substr(std::min(second + 1, size)));
  const auto toolkit = read_toolkit(files, {"/tk/bin/nvcc", "PATH"}, version, verbose);
  if (toolkit ? toolkit->host_config.empty() || toolkit->nvcc.empty() : toolkit.error().message.empty())
    std::abort();
  return 0;
}
