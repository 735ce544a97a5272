// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/compiler/probe.hpp"

#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  return {
      "hostpin_probe cplusplus 201703L\nhostpin_probe gnuc 12 2 0\nhostpin_probe end 1\n"
      "\1Target: x86_64-redhat-linux\n /lib/cc1plus -E -\n#include <...> search starts here:\n /usr/include\n"
      "End of search list.\nLIBRARY_PATH=/lib/:/lib\n",
      "hostpin_probe cplusplus 201703L\nhostpin_probe clang_version 17 0 6\nhostpin_probe end 1\n"
      "\1Target: x86_64-pc-linux-gnu\nSelected GCC installation: /lib\n \"/lib/cl\\\"ang\" -cc1 -E\n"};
}

/// The input is standard output and, behind the byte 1, standard error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::FakeFiles files;
  files.program("/lib/cc1plus").program("/lib/cl\"ang").file("/lib/crtbegin.o");
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t split = std::min(text.find('\1'), size);
  Outcome outcome;
  outcome.end = Outcome::End::exited;
  outcome.output = text.substr(0, split);
  outcome.errors = text.substr(std::min(split + 1, size));
  const ProbeAnswer answer = read_answer(files, {{"/usr/bin/g++"}, "PATH"}, outcome);
  if (const auto* compiler = std::get_if<Compiler>(&answer)) {
    const bool complete = compiler->version.major > 0 && !compiler->target.empty() &&
                          !compiler->front_end.empty() && compiler->default_cplusplus >= 199711;
    if (!complete)
      std::abort();
  } else if (std::get<BrokenCompiler>(answer).reason.empty()) {
    std::abort();
  }
  return 0;
}
