// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every target has in addition where libFuzzer searches: its corpus begins with the seeds.
#include "tests/fuzz/fuzz.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace {

void write_seeds(const std::string& directory) {
  int number = 0;
  for (const std::string& seed : seeds()) {
    std::ofstream file(directory + "/seed-" + std::to_string(number++), std::ios::binary);
    if (!(file << seed).flush()) {
      std::fprintf(stderr, "cannot write into %s\n", directory.c_str());
      std::exit(1);
    }
  }
}

} // namespace

/// Called by libFuzzer before it reads the corpus, which is the first directory among the arguments; in a
/// merge that is what the merge fills.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::error_code ignored;
  for (int i = 1; i < *argc; ++i) {
    const std::string argument = (*argv)[i];
    if (argument.starts_with("-merge"))
      return 0;
    if (!argument.starts_with('-') && std::filesystem::is_directory(argument, ignored)) {
      write_seeds(argument);
      return 0;
    }
  }
  return 0;
}
