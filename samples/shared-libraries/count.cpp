// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings and exceptions cross between libraries of two compilers.
#include "histogram.hpp"
#include "words.hpp"

#include <iostream>
#include <stdexcept>

namespace {

constexpr int skipped = 77; // SKIP_RETURN_CODE in CMakeLists.txt

/// 100 words, `word 0 ` to `word 99 `: 100 times `w`, 20 times each digit but zero, and 10 zeros.
bool right(const std::string& half, const Histogram& counts) {
  const bool good = counts['w'] == 100 && counts[' '] == 200 && counts['0'] == 10 && counts['7'] == 20;
  std::cout << "count: " << half << " half: " << (good ? "all as expected" : "wrong") << std::endl;
  return good;
}

bool exceptions_cross() {
  try {
    some_words(2000000);
  } catch (const std::length_error&) {
    return true;
  }
  return false;
}

} // namespace

int main(int argc, char** argv) {
  const std::string half = argc > 1 ? argv[1] : "both";
  const std::string text = some_words(100);
  if (half != "device" && !(exceptions_cross() && right("host", histogram_on_host(text))))
    return 1;
  if (half == "host")
    return 0;
  if (!has_device()) {
    std::cout << "count: no GPU here, device half skipped" << std::endl;
    return half == "device" ? skipped : 0;
  }
  return right("device", histogram_on_device(text)) ? 0 : 1;
}
