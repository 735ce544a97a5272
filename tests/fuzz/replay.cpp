// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a fuzz target without libFuzzer: its seeds, each of them cut at every length, and with single bytes
// changed; then each file in the directories that are given.
#include "tests/fuzz/fuzz.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace fs = std::filesystem;

namespace {

std::size_t runs = 0;

void run(const std::string& input) {
  // A copy of exactly this size lets a sanitizer see every read outside it.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  ++runs;
}

void run_damaged(const std::string& seed) {
  for (std::size_t size = 0; size <= seed.size(); ++size)
    run(seed.substr(0, size));
  for (std::size_t at = 0; at < seed.size(); ++at)
    for (const char byte : {'\0', '\1', '\x7f', '\xff', '\n', '"', '=', ' '}) {
      std::string damaged = seed;
      damaged[at] = byte;
      run(damaged);
    }
}

/// Returns whether all files in it could be read.
bool run_directory(const char* directory) {
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string input(std::istreambuf_iterator<char>(file), {});
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", entry.path().c_str());
      return false;
    }
    run(input);
  }
  if (failed)
    std::fprintf(stderr, "cannot read %s: %s\n", directory, failed.message().c_str());
  return !failed;
}

} // namespace

int main(int argc, char** argv) {
  for (const std::string& seed : seeds())
    run_damaged(seed);
  for (int i = 1; i < argc; ++i)
    if (!run_directory(argv[i]))
      return 1;
  std::printf("%zu inputs\n", runs);
  return runs == 0 ? 1 : 0;
}
