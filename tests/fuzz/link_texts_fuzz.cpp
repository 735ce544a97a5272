// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/library/library.hpp"
#include "toolchains/library/link_search.hpp"

#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  return {
      "/* GNU ld script */ INPUT ( /usr/lib64/libstdc++.so.6 AS_NEEDED ( -lstdc++_nonshared ) ) GROUP(\"a "
      "b\")",
      " \"/bin/ld\" -dynamic-linker /lib64/ld.so --dynamic-linker=/x '-L/a b' -rpath /a:/b -rpath=/c\\ d\n",
      " collect2 --sysroot=/r -L =/l --push-state -Bstatic -lstdc++ --pop-state -l c -m elf_i386 "
      "x/libc.so\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string& input : script_inputs(text))
    if (input.empty() || input.size() > size)
      std::abort();
  for (const std::string& path : link_line(text).run_paths)
    if (path.size() > size)
      std::abort();
  const cmdline::LinkerCommand command = cmdline::linker_command(shown_linker_words(text));
  if (command.inputs.size() + command.directories.size() > size)
    std::abort();
  if (const auto words = cmdline::command_words(text); words && words->size() > size)
    std::abort();
  return 0;
}
