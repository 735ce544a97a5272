// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a fuzz target without libFuzzer: its seeds, each of them cut at every length, and with single bytes
// changed; then each file in the directories that are given. Under a sanitizer, where a run takes some fifty
// times as long, evenly spread ones of those lengths and bytes.
#include "tests/fuzz/fuzz.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace fs = std::filesystem;

namespace {

std::size_t runs = 0;

constexpr std::string_view changed{"\0\1\x7f\xff\n\"= ", 8};

#ifdef HOSTPIN_SANITIZE
constexpr std::size_t most_damages = 4000;
#else
constexpr std::size_t most_damages = SIZE_MAX;
#endif

void run(const std::string& input) {
  // A copy of exactly this size lets a sanitizer see every read outside it.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  ++runs;
}

void run_damaged(const std::string& seed, std::size_t step) {
  const std::size_t cuts = seed.size() + 1;
  const std::size_t changes = seed.size() * changed.size();
  for (std::size_t damage = 0; damage < cuts; damage += step)
    run(seed.substr(0, damage));
  for (std::size_t damage = 0; damage < changes; damage += step) {
    std::string damaged = seed;
    damaged[damage / changed.size()] = changed[damage % changed.size()];
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
  const std::vector<std::string> intact = seeds();
  std::size_t damages = 0;
  for (const std::string& seed : intact)
    damages += seed.size() * (1 + changed.size());
  for (const std::string& seed : intact) {
    run(seed);
    run_damaged(seed, damages / most_damages | 1); // odd, so that all values are used
  }
  for (int i = 1; i < argc; ++i)
    if (!run_directory(argv[i]))
      return 1;
  std::printf("%zu inputs\n", runs);
  return runs == 0 ? 1 : 0;
}
