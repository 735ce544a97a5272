// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a fuzz target without libFuzzer: its seeds, each of them cut at every length, and with single bytes
// changed.
#include "tests/fuzz/fuzz.hpp"

#include <cstdio>
#include <fstream>

namespace {

std::size_t runs = 0;

void run(const std::string& input) {
  // A copy of exactly this size lets a sanitizer see every read outside it.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  ++runs;
}

int write_seeds(const std::string& directory) {
  int number = 0;
  for (const std::string& seed : seeds()) {
    std::ofstream file(directory + "/seed-" + std::to_string(number++), std::ios::binary);
    if (!(file << seed).flush()) {
      std::fprintf(stderr, "cannot write into %s\n", directory.c_str());
      return 1;
    }
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1)
    return write_seeds(argv[1]);
  for (const std::string& seed : seeds()) {
    for (std::size_t size = 0; size <= seed.size(); ++size)
      run(seed.substr(0, size));
    for (std::size_t at = 0; at < seed.size(); ++at)
      for (const char byte : {'\0', '\1', '\x7f', '\xff', '\n', '"', '=', ' '}) {
        std::string damaged = seed;
        damaged[at] = byte;
        run(damaged);
      }
  }
  std::printf("%zu inputs\n", runs);
  return runs == 0 ? 1 : 0;
}
