// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/driver_answer.hpp"
#include "hooks/lto-check/linker/linker.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/cmdline/linker_command.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin;

std::vector<std::string> seeds() {
  return {"ld\n-o\nout\n-plugin\n/l/liblto_plugin.so\n-plugin-opt=/l/lto-wrapper\n-L=/"
          "x\n--start-group\na.a\n-lm\n--end-group",
          "collect2\n-fno-lto\n-fuse-ld=gold\n--push-state\n-Bstatic\n--whole-archive\nx.a\n--pop-state\n--"
          "sysroot=/r",
          "g++\na.o\nb.a\n-o\nout\nlibc.so.6\n-Xlinker\ny.o\n-x\nc++\nz.o",
          "nvlink\n-dlto\n--arch=sm_80\nk.o\n-o\nk.cubin", "GNU gold (GNU Binutils for Debian 2.40) 1.16"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  // Each input is a word or a word's value.
  if (cmdline::linker_command(words).inputs.size() > words.size())
    std::abort();
  const lto::Placeholders placeholders = lto::replace_inputs(words);
  std::size_t kept = placeholders.command.size();
  for (const auto& inputs : placeholders.inputs)
    kept += inputs.size() - 1;
  if (kept != words.size())
    std::abort();
  static_cast<void>(lto::linker_name(text));
  return 0;
}
